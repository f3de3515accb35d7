"""`--adapter bytewax` tests the windows of Bytewax."""

from ..required_distribution import require_distribution

VERSION = require_distribution("bytewax", "Bytewax", "bytewax")
