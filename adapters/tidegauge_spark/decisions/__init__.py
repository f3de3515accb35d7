"""What each step of event time decides, in plain Python: nothing here knows Spark, files or processes."""
