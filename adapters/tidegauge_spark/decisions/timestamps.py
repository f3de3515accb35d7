"""The ends of event time. All timestamps and watermarks of this library are whole numbers of milliseconds."""

from __future__ import annotations

from typing import Final

MIN: Final = -(2**63)
"""The watermark of a channel that has delivered none, and the output watermark before the first one (ms)."""

MAX: Final = 2**63 - 1
"""The watermark that ends event time; a channel that has delivered it is finished (ms)."""
