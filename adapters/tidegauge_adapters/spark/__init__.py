"""`--adapter spark`, and stateful processors of a user under test."""

from ..required_pyspark import require_pyspark

require_pyspark()
