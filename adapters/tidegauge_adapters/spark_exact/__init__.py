"""`--adapter spark-exact`: Spark's own operators on the exact watermark of `tidegauge_spark`."""

from ..required_pyspark import ROW_PROCESSORS, require_pyspark

require_pyspark(ROW_PROCESSORS)
