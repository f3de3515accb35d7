"""A project that puts a stateful processor of PySpark under test, for `tidegauge init --language pyspark`."""
