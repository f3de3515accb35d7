"""The same judging on Spark: nothing large crosses the driver."""
