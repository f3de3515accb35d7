"""`--adapter spark-native`: the event time of Spark itself."""

from ..required_pyspark import require_pyspark

require_pyspark()
