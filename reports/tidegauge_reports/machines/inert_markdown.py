"""Foreign texts in Markdown: nothing in them is markup, HTML, a link or a call to somebody's attention."""

import re

from ..text import short, shown
from .source_links import is_web_address

_MARKUP = re.compile(r"[&<>\\`*_\[\]|~$]")
_NAME = re.compile(r"`([^`\n]{1,200})`")
_START = re.compile(r"^(?:[#+=-]|[0-9](?=[0-9]*[.)]))")
"""What could make a line a heading, a rule or an entry of a list."""

_TICKS = re.compile("`+")
_BREAK = "\u200b"
"""Stands for itself only: no renderer sees a mention or an address across it."""


def inert(text: str, longest: int = 300) -> str:
    """`text` on one line: characters that could be markup are written as references, mentions and addresses
    are broken up."""
    return _written(short(text, longest))


def _written(line: str) -> str:
    written = _MARKUP.sub(_reference, line)
    written = _START.sub(_reference, written)
    written = written.replace("@", f"@{_BREAK}").replace("://", f":{_BREAK}//")
    return re.sub(r"\bwww\.", f"www{_BREAK}.", written, flags=re.IGNORECASE)


def _reference(found: re.Match[str]) -> str:
    return f"&#{ord(found[0])};"


def prose(text: str, longest: int = 600) -> str:
    """A text of the specification on one line: backquotes set names apart, all else is inert."""
    pieces = _NAME.split(short(text, longest))
    return "".join(code(piece) if number % 2 else _written(piece) for number, piece in enumerate(pieces))


def code(text: str) -> str:
    """A short name on one line, as code if that is possible in any place, a table's cell included."""
    name = short(text, 200)
    return _written(name) if not name or re.search(r"[`|\\]", name) else f"`{name}`"


def bold(text: str, longest: int = 100) -> str:
    """`text` on one line, inert and in bold."""
    return f"**{inert(text, longest)}**" if text.strip() else ""


def link(label: str, address: str) -> str:
    """A link if the address is one of the web; otherwise both are only text."""
    if is_web_address(address):
        return f"[{inert(label)}](<{address}>)"
    return inert(f"{label} {address}" if label != address else label)


def block(text: str, language: str = "text", longest: int = 3_000) -> str:
    """`text` as a block of code that ends where it ends, whatever stands in it."""
    content = shown(text, longest)
    fence = "`" * max(3, 1 + max(map(len, _TICKS.findall(content)), default=0))
    return f"{fence}{language}\n{content}\n{fence}"
