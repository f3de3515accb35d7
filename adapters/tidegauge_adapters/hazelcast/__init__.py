"""Stock Hazelcast Jet under test: its released classes in a JVM, driven one step at a time."""
