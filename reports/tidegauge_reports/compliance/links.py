"""Addresses in texts, as links."""

import re

from markupsafe import Markup

from ..text import prose

_ADDRESS = re.compile(r"https?://(?:[^\s<>()&`]|&amp;)+[^\s<>()&`.,;:!?]")


def linked(text: str) -> Markup:
    """A text of the specification or of a person, with links where it names addresses on the web; other kinds
    of addresses stay text."""
    return Markup(_ADDRESS.sub(_link, str(prose(text))))


def _link(found: re.Match[str]) -> str:
    address = found.group()
    return f'<a href="{address}" rel="noopener noreferrer">{address}</a>'
