"""Versions of the specification, with its vectors and suites.

What a released version demands does not change. What is added later names its version, and is run, but not
scored, when an engine is measured for an older one.
"""

import re
from collections.abc import Iterable

RELEASED = ("1.0",)
"""The released versions, the oldest first."""

FIRST_VERSION = RELEASED[0]
"""Of everything that names no version of its own."""

SPEC_VERSION = RELEASED[-1]
"""The newest released version."""

NEXT_VERSION = "1.1"
"""The version in preparation: what is added now belongs to it."""


_FORM = re.compile(r"[0-9]+(\.[0-9]+)*")


def is_version(text: str) -> bool:
    """Whether a text is numbers with dots between them."""
    return _FORM.fullmatch(text) is not None


def added_after(since: str, version: str) -> bool:
    """Whether what is there since one version is newer than another: `1.10` is after `1.9`."""
    return _numbers(since) > _numbers(version)


def in_order(versions: Iterable[str]) -> tuple[str, ...]:
    """Different versions, the oldest first."""
    return tuple(sorted(set(versions), key=_numbers))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
