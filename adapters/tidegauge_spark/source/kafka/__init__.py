"""Kafka topics as a log: partitions are the splits, record timestamps are the event times."""
