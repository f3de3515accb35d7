"""Foreign texts made fit to be shown: engines, adapters and environments may say anything."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from itertools import islice

from markupsafe import Markup, escape

from tidegauge.words.unshowable import UNSHOWABLE

LONGEST = 2000
"""The number of characters after which a text is cut."""

LONGEST_COMMAND = 20_000
"""The number of characters beyond which a command is not shown: it is never cut."""

_MOST_MARKS = 5
"""So many marks may be piled on one letter; the scripts that pile most of them need no more."""

_PERHAPS_PILED = re.compile(f"[^\x00-\u02ff]{{{_MOST_MARKS + 1},}}")
_DIGITS = re.compile("([0-9]+)")
_NAME = re.compile(r"`([^`\n]{1,200})`")


def _visible(text: str) -> str:
    return _PERHAPS_PILED.sub(_unpiled, UNSHOWABLE.sub("", text))


def _unpiled(found: re.Match[str]) -> str:
    """A run of characters without the marks beyond the first few on each letter: a pile of them is as wide as
    it likes, in one piece. What has no width does not begin a new pile."""
    kept, piled = [], 0
    for character in found[0]:
        category = unicodedata.category(character)
        if category[0] == "M":
            piled += 1
        elif category != "Cf":
            piled = 0
        if category[0] != "M" or piled <= _MOST_MARKS:
            kept.append(character)
    return "".join(kept)


def shown(text: str, longest: int = LONGEST) -> str:
    """`text` without characters that cannot be shown, and cut with a note if it is longer than `longest`."""
    visible = _visible(text)
    if len(visible) <= longest:
        return visible
    return f"{visible[:longest]}… [cut here; {len(visible):,} characters in all]"


def whole(command: str, longest: int = LONGEST_COMMAND) -> str | None:
    """A command as it is to be copied; None if it is longer than `longest`, as one that is cut does something
    else."""
    visible = _visible(command)
    return visible if len(visible) <= longest else None


def too_long(command: str) -> str:
    """What stands in the place of a command that is not shown."""
    return f"A command of {len(command):,} characters, too long to be shown here; it is in results.json."


def with_command(message: str, command: str, longest: int = LONGEST) -> str:
    """A message that ends with the command to replay it: if it is too long it is cut, the command is not."""
    if len(message) > longest:
        message = shown(message.replace(f"Replay: {command}", "").rstrip(), longest)
    if command in message:
        return message
    return f"{message}\n{too_long(command) if whole(command) is None else f'Replay: {command}'}"


def short(text: str, longest: int) -> str:
    """`text` on one line, for places with no room for a note: cut to `longest` characters."""
    visible = " ".join(_visible(text[: 20 * longest]).split())
    return visible if len(visible) <= longest else visible[: longest - 1] + "…"


def line_by_line(text: str, longest: int = 300) -> Markup:
    """A text of many lines, each of which is cut, but none is left out: the last ones say what matters."""
    return Markup("\n").join(escape(shown(line, longest)) for line in text.split("\n"))


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


def in_natural_order(ids: Iterable[str]) -> list[str]:
    """Return ids in natural order: `VALVE-2` before `VALVE-10`."""
    return sorted(ids, key=natural_key)


def natural_key(text: str) -> list[tuple[int, str]]:
    """Return the sort key of an id. Numbers compare by length first: they may have thousands of digits."""
    parts = _DIGITS.split(text)
    bare = [part.lstrip("0") if place % 2 else part for place, part in enumerate(parts)]
    return [(len(part) if place % 2 else 0, part) for place, part in enumerate(bare)]
