"""Whole jobs on the exact watermark, over files and over topics of Kafka, with what pandas makes of their records."""
