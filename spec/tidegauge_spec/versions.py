"""Versions of the specification, with its vectors and suites.

A released version does not change: what is added after it names the version that added it.
"""

import re
from collections.abc import Iterable

RELEASED: tuple[str, ...] = ()
"""The released versions, the oldest first."""

FIRST_VERSION = "1.0"
"""The version of everything that names no version of its own."""

SPEC_VERSION = "1.0"
"""The newest version, released or in preparation: what is added now belongs to it."""


_FORM = re.compile(r"[0-9]+(\.[0-9]+)*")


def is_version(text: str) -> bool:
    """Whether a text is numbers with dots between them."""
    return _FORM.fullmatch(text) is not None


def in_order(versions: Iterable[str]) -> tuple[str, ...]:
    """Different versions, the oldest first: `1.9` is before `1.10`."""
    return tuple(sorted(set(versions), key=_numbers))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
