"""A companion of Spark's own Kafka source: a small source beside it that says the exact watermark of its
rows."""
