"""The one Spark session of a process: its Java, its JVM and its temporary folder."""
