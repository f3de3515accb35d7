"""`--adapter beam` tests the windows and triggers of Apache Beam for Python."""

from ..required_distribution import require_distribution

VERSION = require_distribution("apache-beam", "Apache Beam", "beam")
