"""Processors in PySpark's `TwsTester`, with guards for what it accepts and a real query does not."""
