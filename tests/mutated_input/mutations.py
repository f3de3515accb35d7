"""Mutations of valid files: of their bytes, and of the values in a JSON or TOML document. All drawn from a seed."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

MARKUP = "\"'><script>mutated()</script><img src=x onerror=mutated()>]]>&lt;"
"""Markup that a report must escape; `UNESCAPED` is what must not stand in one."""

UNESCAPED = ("<script>mutated", "<img src=x onerror=mutated")

CONTROL = "\x1b]0;mutated\x07\x1b[2J\x1b[31m\x00\x08\x7f\x85\x9b31m\u202e\u2066"
"""What a terminal would obey: escape sequences, C0 and C1 control characters, DEL, marks that reorder text."""

NUMBERS = (
    0,
    -1,
    2**31,
    2**53,
    -(2**53),
    2**63 - 1,
    -(2**63),
    2**64,
    10**40,
    10**4000,
    0.5,
    -0.0,
    1e308,
)
OTHER_VALUES = (None, True, False, "", "x", [], {}, [[]], {"": None}, [None], *NUMBERS)
TEXTS = (
    MARKUP,
    CONTROL,
    "line\nline\r\nline",
    "\u2028\u2029\u0085",
    "x" * 100_000,
    "[bold]x[/bold][/nothing] [link=file:///x]y[/link]",
    ":smiley: :warning:",
    "../../outside",
    "/outside",
    "\ufeff\uffff\U0010ffff",
    "e" + "\u0301" * 500,
    "{{ 7 * 7 }} {% raw %}",
    "%s %n {0} $(x) `x`",
    "MAX",
    "-9223372036854775809",
    "NaN",
)
INSERTED = (
    b"\x00",
    b"\x1b[31m",
    b"\xff\xfe",
    b"\xc3(",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b"\r",
    b"\n",
    b"\n\n",
    b'"',
    b"{",
    b"]",
    b"NaN",
    b"Infinity",
    b"1e999",
    b"9" * 5_000,
    b"[" * 100_000,
    b'{"a":' * 20_000,
    b'"\\ud800"',
    b"\\ud800",
    b"\\u0000",
    b"\xe2\x80\xae",
)
WHOLE = (
    b"",
    b"\n",
    b"\x00",
    b"\xef\xbb\xbf",
    b"null",
    b"[]",
    b"{}",
    b'""',
    b"1",
    b"[" * 200_000,
    b"\xff" * 100,
    b"\x1f\x8b\x08\x00\x00\x00",
    b"PK\x03\x04",
    b"<!doctype html><script>mutated()</script>",
    CONTROL.encode(),
)


def mutated(original: bytes, draw: random.Random) -> bytes:
    """Another content of a file, one to three mutations away from the valid one."""
    content = original
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        content = draw.choice((_of_bytes, _of_values, _of_values, _gentle, _gentle))(content, draw)
    return content


def _of_bytes(content: bytes, draw: random.Random) -> bytes:
    at = draw.randrange(len(content) + 1)
    kind = draw.choice(
        ("flip", "flip", "truncate", "insert", "insert", "delete", "repeat", "before", "whole")
    )
    if kind == "flip" and content:
        changed = bytearray(content)
        for _ in range(draw.choice((1, 1, 4, 32))):
            changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
        return bytes(changed)
    if kind == "truncate":
        return content[:at]
    if kind == "insert":
        return content[:at] + draw.choice(INSERTED) + content[at:]
    if kind == "delete":
        return content[:at] + content[at + draw.choice((1, 2, 16, 200)) :]
    if kind == "repeat":
        return content[:at] + content[at : at + draw.choice((1, 40, 400))] * 2 + content[at:]
    if kind == "before":
        return draw.choice((b"\xef\xbb\xbf", b"\x00", "\u202e".encode(), b"\n\n")) + content
    return draw.choice(WHOLE)


def _of_values(content: bytes, draw: random.Random) -> bytes:
    """A value changed in any way."""
    return _of_a_document(content, draw, _written)


def _gentle(content: bytes, draw: random.Random) -> bytes:
    """Values replaced by others of their types, so that the file often is valid still and is worked with."""
    return _of_a_document(content, draw, _of_their_types)


def _of_a_document(
    content: bytes, draw: random.Random, changed: Callable[[Any, random.Random], bytes]
) -> bytes:
    """The document changed, or one of its lines if each is a document."""
    try:
        return changed(json.loads(content), draw)
    except (ValueError, RecursionError):
        pass
    lines = content.split(b"\n")
    at = draw.randrange(len(lines))
    try:
        lines[at] = changed(json.loads(lines[at]), draw)
    except (ValueError, RecursionError):
        return _of_a_text(content, draw)
    return b"\n".join(lines)


def _of_a_text(content: bytes, draw: random.Random) -> bytes:
    """A text between quotes replaced, for what is no JSON."""
    pieces = content.split(b'"')
    if len(pieces) < 3:
        return _of_bytes(content, draw)
    at = draw.randrange(1, len(pieces), 2) if draw.random() < 0.8 else draw.randrange(len(pieces))
    text = draw.choice(TEXTS)
    pieces[at] = (
        text.encode("utf-8", "surrogatepass") if draw.random() < 0.5 else json.dumps(text)[1:-1].encode()
    )
    return b'"'.join(pieces)


def _of_their_types(document: Any, draw: random.Random) -> bytes:
    places = [place for place in _places(document) if isinstance(place[0][place[1]], str | int | float)]
    for holder, key in draw.choices(places, k=draw.choice((1, 1, 3, 10))) if places else ():
        value = holder[key]
        if isinstance(value, bool):
            holder[key] = not value
        elif isinstance(value, str):
            holder[key] = draw.choice(TEXTS)
        else:
            others = (0, 1, 2, value + 1, value * 1000, -value, 2**31 - 1, 2**53 - 1, -(2**53) + 1)
            holder[key] = draw.choice(others)
    return json.dumps(document).encode()


def _written(document: Any, draw: random.Random) -> bytes:
    places = list(_places(document))
    if not places:
        return json.dumps(draw.choice(OTHER_VALUES)).encode()
    holder, key = draw.choice(places)
    mark = "\ue000 twice"
    kind = draw.choice(
        ("value", "value", "number", "text", "text", "text", "remove", "add", "nest", "twice", "swap")
    )
    if kind == "value":
        holder[key] = draw.choice(OTHER_VALUES)
    elif kind == "number":
        holder[key] = draw.choice(NUMBERS)
    elif kind == "text":
        holder[key] = draw.choice(TEXTS)
    elif kind == "remove":
        del holder[key]
    elif kind == "add":
        added: Any = draw.choice((*TEXTS, *OTHER_VALUES))
        if isinstance(holder, dict):
            holder[draw.choice((*TEXTS, "more"))] = added
        else:
            holder.insert(draw.randrange(len(holder) + 1), added)
    elif kind == "nest":
        for _ in range(draw.choice((1, 50, 400))):
            holder[key] = [holder[key]] if draw.random() < 0.5 else {"x": holder[key]}
    elif kind == "twice" and isinstance(holder, dict):
        holder[f"{key}{mark}"] = draw.choice((holder[key], *OTHER_VALUES))
    elif kind == "swap":
        other, of_other = draw.choice(places)
        holder[key], other[of_other] = other[of_other], holder[key]
    try:
        text = json.dumps(document, ensure_ascii=draw.random() < 0.5)
    except (ValueError, RecursionError):  # swapped into itself
        return b"{}"
    text = text.replace(mark, "").replace("\\ue000 twice", "")
    if draw.random() < 0.05:
        text = text.replace('"x"', draw.choice(("NaN", "-Infinity", "1e999", '"\\ud800"')))
    return text.encode("utf-8", "surrogatepass")


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Each place in a document that holds a value: an object or array, and the key or index in it."""
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    else:
        return
    for key, one in items:
        yield value, key
        yield from _places(one)
