"""`--adapter spark`, and stateful processors of a user under test."""

from ..required_pyspark import ROW_PROCESSORS, require_pyspark

require_pyspark(ROW_PROCESSORS)
