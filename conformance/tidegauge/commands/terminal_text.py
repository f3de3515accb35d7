"""Foreign texts on a terminal: engines, adapters, results and file names of others may say anything."""

import re

from rich.markup import escape

from ..words.unshowable import UNSHOWABLE

LONGEST = 2_000
"""The number of characters after which a text is cut."""

_LINE_BREAKS = re.compile("[\t\n\u2028\u2029]+")

_OBEYED = re.compile(r"^(?:\x1b\[[\d;]*m|[ \t])*:(?=:)|#(?=#(?:\[|vso\[|teamcity\[))", re.MULTILINE)
"""The first sign of what servers for CI obey in a log: `::error::` and `##[error]` of GitHub, `##vso[...]` of
Azure, `##teamcity[...]`."""


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


def inline(text: str) -> str:
    """The same on one line, not cut, for what is short or has to be copied: the path of a file."""
    return escape(_LINE_BREAKS.sub(" ", UNSHOWABLE.sub("", text)))


def disobeyed(text: str) -> str:
    """Return a text as it is printed, with a space in whatever a server for CI would obey.

    Only a printed text shows where its lines begin: in a narrow column, that may be anywhere.
    """
    return _OBEYED.sub(r"\g<0> ", text)
