"""Timestamps: signed 64-bit integers, milliseconds."""

MIN = -(2**63)
"""No watermark yet."""

MAX = 2**63 - 1
"""End of input."""
