"""Scenarios as micro-batches of a Spark query, whose one watermark moves as their steps say."""
