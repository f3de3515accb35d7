"""Characters that no view shows."""

import re

UNSHOWABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, which a terminal would obey; not tab and line feed
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # marks that reorder the text around them
    "\ud800-\udfff\ufffe\uffff]"  # halves of pairs, which cannot be written, and what XML forbids
)
