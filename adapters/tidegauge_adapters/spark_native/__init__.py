"""`--adapter spark-native`: the event time of Spark itself."""
