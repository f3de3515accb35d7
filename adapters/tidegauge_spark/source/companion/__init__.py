"""A companion of Spark's own Kafka source: a small source beside it that emits the exact watermark."""
