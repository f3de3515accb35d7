"""This package wraps a processor under test in Spark's Python workers. It is independent of the kit."""
