"""This module defines a check of processors, and compares two outcomes of a trace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..playing.played import Played
from ..playing.player import Player
from ..playing.trace import Key, Output, Trace
from ..processor_under_test import ProcessorUnderTest
from ..words import key_text, row_text, when_text


@dataclass(frozen=True)
class Wrong:
    """The failure of a check on a trace.

    Attributes:
        text: the failure in a sentence.
        outputs: the rows that the processor returned.
    """

    text: str
    outputs: tuple[Output, ...] = ()


@dataclass(frozen=True)
class Check:
    """A property of processors.

    Attributes:
        name: the name of the check in options and reports.
        demands: the property that the check demands of a processor.
        excludes: the defects that the check detects.
        applies: returns the reason for which the check does not apply to a processor; empty if it applies.
        fails: returns the failure of a processor on a trace; None if the check holds.
    """

    name: str
    demands: str
    excludes: str
    applies: Callable[[ProcessorUnderTest], str]
    fails: Callable[[Player, Trace], Wrong | None]


def wrong_if_different(player: Player, expected: Played, actual: Played, text: str) -> Wrong | None:
    """Return a failure that begins with `text` if two outcomes differ; None if they agree."""
    difference = _difference(player.subject, expected, actual)
    return None if difference is None else Wrong(f"{text}: {difference}", tuple(actual.outputs))


def _difference(subject: ProcessorUnderTest, expected: Played, actual: Played) -> str | None:
    """Return a sentence with the first difference between two outcomes; None if they agree.

    The order of rows counts only if the processor declares `ordered`.
    """
    if (expected.problem is None) != (actual.problem is None):
        problem = actual.problem or expected.problem
        assert problem is not None
        return f"it raises {problem.text}, " + (
            "and otherwise not" if actual.problem else "but only otherwise"
        )
    before, after = _by_place(subject, expected.outputs), _by_place(subject, actual.outputs)
    for place in sorted({*before, *after}, key=repr):
        first, second = before.get(place, []), after.get(place, [])
        same = first == second if subject.ordered else Counter(first) == Counter(second)
        if not same:
            segment, key = place
            when = when_text(subject, {**expected.times, **actual.times}.get(segment, 0))
            return f"{key_text(subject, key)} gets {_rows_text(second)} instead of {_rows_text(first)}{when}"
    return None


def _by_place(subject: ProcessorUnderTest, outputs: Iterable[Output]) -> Mapping[tuple[int, Key], list[str]]:
    found: dict[tuple[int, Key], list[str]] = {}
    for output in _current(subject, outputs):
        found.setdefault((output.segment, output.key), []).append(row_text(output.row))
    return found


def _current(subject: ProcessorUnderTest, outputs: Iterable[Output]) -> Iterable[Output]:
    """Return the last of the rows that replace one another between two passages of time."""
    if subject.updates is False:
        return outputs
    columns = () if subject.updates is True else tuple(subject.updates)
    last: dict[object, Output] = {}
    for output in outputs:
        replaced = (output.segment, output.key, repr([output.row[name] for name in columns]))
        last.pop(replaced, None)
        last[replaced] = output
    return last.values()


def _rows_text(rows: Sequence[str]) -> str:
    return ", ".join(rows) or "no row"
