"""Apache Flink seen through its REST interface: polled metrics become rows of an event log."""
