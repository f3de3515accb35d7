"""Tests stock Hazelcast Jet: drives its released classes in a JVM, one step at a time."""
