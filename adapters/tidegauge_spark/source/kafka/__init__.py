"""Topics of Kafka as a log: its partitions are the splits, the timestamps of records their event times."""
