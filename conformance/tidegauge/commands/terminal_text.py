"""Foreign texts on a terminal: engines, adapters and results of others may say anything."""

from rich.markup import escape

from ..words.unshowable import UNSHOWABLE

LONGEST = 2_000
"""The number of characters after which a text is cut."""


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
