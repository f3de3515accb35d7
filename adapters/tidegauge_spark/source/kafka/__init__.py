"""Topics of Kafka as a log: partitions are the splits, timestamps of records the event times."""
