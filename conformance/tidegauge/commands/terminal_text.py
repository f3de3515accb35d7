"""Foreign texts on a terminal: engines, adapters and results of others may say anything."""

import re

from rich.markup import escape

LONGEST = 2_000
"""The number of characters after which a text is cut."""

UNSHOWABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, which a terminal would obey; not tab and line feed
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # marks that reorder the text around them
    "\ud800-\udfff\ufffe\uffff]"  # halves of pairs, which cannot be written, and what XML forbids
)


def lines(text: str, longest: int = LONGEST) -> str:
    """`text` for a rich console: without what a terminal would obey, cut with a note if it is too long."""
    visible = UNSHOWABLE.sub("", text)
    if len(visible) > longest:
        visible = f"{visible[:longest]}… [cut here; {len(visible):,} characters in all]"
    return escape(visible)


def line(text: str, longest: int = 300) -> str:
    """The same on one line, cut without a note."""
    visible = " ".join(UNSHOWABLE.sub("", text[: 20 * longest]).split())
    return escape(visible if len(visible) <= longest else visible[: longest - 1] + "…")
