"""Prints text of others on a terminal: the text of engines, adapters, results and file names is not
trusted."""

import re

from rich.markup import escape

from ..words.unshowable import UNSHOWABLE

LONGEST = 2_000
"""The maximum number of characters of a text. A longer text is cut."""

_LINE_BREAKS = re.compile("[\t\n\u2028\u2029]+")

_OBEYED = re.compile(r"^(?:\x1b\[[\d;]*m|[ \t])*:(?=:)|#(?=#(?:\[|vso\[|teamcity\[))", re.MULTILINE)
"""The first character of the commands that CI servers execute in a log: `::error::` and `##[error]` of
GitHub, `##vso[...]` of Azure, `##teamcity[...]`."""


def lines(text: str, longest: int = LONGEST) -> str:
    """Return `text` for a rich console, without control characters. A text that is too long is cut, with a
    note."""
    visible = UNSHOWABLE.sub("", text)
    if len(visible) > longest:
        visible = f"{visible[:longest]}… [cut here; {len(visible):,} characters in all]"
    return escape(visible)


def line(text: str, longest: int = 300) -> str:
    """Return `text` on one line for a rich console, cut without a note."""
    visible = " ".join(UNSHOWABLE.sub("", text[: 20 * longest]).split())
    return escape(visible if len(visible) <= longest else visible[: longest - 1] + "…")


def inline(text: str) -> str:
    """Return `text` on one line for a rich console, not cut: for short texts, and for texts that users copy,
    such as the path of a file."""
    return escape(_LINE_BREAKS.sub(" ", UNSHOWABLE.sub("", text)))


def disobeyed(text: str) -> str:
    """Return a printed text with a space in every command that a CI server would execute.

    The text has to be printed first: only then is it known where its lines begin. In a narrow column, a line
    may begin anywhere.
    """
    return _OBEYED.sub(r"\g<0> ", text)
