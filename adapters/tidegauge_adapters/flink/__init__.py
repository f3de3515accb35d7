"""Stock Apache Flink under test: its released classes in a JVM, driven one step at a time."""
