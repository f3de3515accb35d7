"""Tests stock Kafka Streams: drives a topology of its released classes in a JVM, one record at a time."""
