"""What runs in Spark's Python workers around a processor under test: it knows nothing of the kit."""
