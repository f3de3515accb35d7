"""What to say of a name that nothing has: which name was probably meant, and which there are."""

from collections.abc import Iterable
from difflib import get_close_matches

_AT_LEAST = 0.7
"""How alike a name and the known one are that was probably meant (1: the same)."""


def unknown(what: str, name: str, known: Iterable[str], listed: str = "") -> str:
    """A complaint in one line: "unknown budget 'smoek'; did you mean 'smoke'? known are smoke, default".

    `listed` says where the known names are listed, if they are too many for a line.
    """
    names = list(known)
    close = closest(name, names)
    question = f"did you mean {close!r}? " if close is not None else ""
    return f"unknown {what} {name!r}; {question}{listed or listing(names)}"


def spelled(name: str, known: Iterable[str]) -> str | None:
    """The known name that is this one, upper and lower case apart; None if there is none."""
    by_lower_case = {one.casefold(): one for one in known}
    return by_lower_case.get(name.casefold())


def closest(name: str, known: Iterable[str], at_least: float = _AT_LEAST) -> str | None:
    """Return the known name that is most similar to a name, ignoring case; None if none is close.

    `at_least` is the required similarity, 0 to 1 (1: equal).
    """
    by_lower_case = {one.casefold(): one for one in known}
    found = get_close_matches(name.casefold(), by_lower_case, n=1, cutoff=at_least)
    return by_lower_case[found[0]] if found else None


def listing(known: Iterable[str]) -> str:
    """All known names."""
    names = list(known)
    if not names:
        return "there are none"
    return f"known {'is' if len(names) == 1 else 'are'} {', '.join(names)}"
