"""Foreign texts made fit to be shown: engines, adapters and environments may say anything."""

import re
from collections.abc import Mapping
from itertools import islice

from markupsafe import Markup, escape

LONGEST = 2000
"""The number of characters after which a text is cut."""

_UNSHOWABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, except tab and line feed
    "\u200e\u200f\u202a-\u202e\u2066-\u2069"  # marks that reorder the text around them
    "\ud800-\udfff\ufffe\uffff]"  # halves of pairs and code points that XML forbids
)
_NAME = re.compile(r"`([^`\n]{1,200})`")


def shown(text: str, longest: int = LONGEST) -> str:
    """`text` without characters that cannot be shown, and cut with a note if it is longer than `longest`."""
    visible = _UNSHOWABLE.sub("", text)
    if len(visible) <= longest:
        return visible
    return f"{visible[:longest]}… [cut here; {len(visible):,} characters in all]"


def short(text: str, longest: int) -> str:
    """`text` on one line, for places with no room for a note: cut to `longest` characters."""
    visible = " ".join(_UNSHOWABLE.sub("", text[: 20 * longest]).split())
    return visible if len(visible) <= longest else visible[: longest - 1] + "…"


def prose(text: str) -> Markup:
    """A text of the specification, where backquotes set names apart."""
    return Markup(_NAME.sub(r"<code>\1</code>", str(escape(shown(text)))))


def finalized(value: object) -> object:
    """What a template's expression becomes before it is escaped: every text is `shown`, markup is kept."""
    return shown(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def pairs(mapping: Mapping[str, str], longest: int = 60) -> list[tuple[str, str]]:
    """The entries of a mapping, at most `longest` of them and one that says how many are left out."""
    entries = list(islice(mapping.items(), longest))
    left_out = len(mapping) - len(entries)
    return [*entries, ("…", f"{left_out:,} more")] if left_out else entries


def counted(number: int, singular: str, plural: str = "") -> str:
    """A number with its noun: `1 rule`, `2,300 rules`."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def duration(seconds: float) -> str:
    """Seconds as people say them."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
