"""Explain a counterexample by the alteration of the processor or of its rows with which its check holds."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from random import Random

from pyspark.sql.types import (
    DecimalType,
    FractionalType,
    IntegralType,
    TimestampNTZType,
    TimestampType,
)

from ..playing.alteration import Alteration
from ..playing.player import Player
from ..playing.trace import Trace
from ..processor_under_test import ProcessorUnderTest
from ..searching.drawing import Drawing
from ..searching.search import Counterexample
from .alterations import CURES, OFF_TIMERS
from .altered_traces import altered_trace
from .borders import border_text, tie_text
from .cured_player import CuredPlayer

TRACES_FOR_A_CURE = 40
_MOST_TRACES = 100
_FAILING_TRACES = 5

_ON_ROW = "; it compares the time of the row, not the end of its window"
"""Only rows at or before the watermark are affected: it holds without them, too."""


def explanation(player: Player, counterexample: Counterexample) -> str:
    """Return the most likely cause as a sentence, or an empty text if no cure explains the counterexample.

    A cure explains a counterexample if the check holds with the cure on the counterexample, on other traces
    on which it fails, and on random traces. The counterexample alone is too little: a timer that is moved by
    1 ms can fix a single trace.
    """
    trial = _Trial(player, counterexample)
    for cure in _cures(player.subject):
        if trial.holds(cure):
            is_on_row = cure.rows_before_watermark and trial.holds(Alteration(drops_late_rows=True))
            return f"It would hold {cure.words}{_ON_ROW if is_on_row else ''}."
    for column in _columns_with_ties(player.subject):
        if trial.holds(Alteration(distinct=column)):
            return tie_text(player, counterexample, column)
    if player.subject.mode == "EventTime" and all(map(trial.holds, OFF_TIMERS)):
        return border_text(player, counterexample)
    for cure in _shifted_results(player.subject):
        if trial.holds(cure):
            return f"It would hold {cure.words}."
    return ""


class _Trial:
    """Tries cures on a counterexample and on random traces."""

    def __init__(self, player: Player, counterexample: Counterexample) -> None:
        self._player = player
        self._counterexample = counterexample
        self._drawing = Drawing(player)

    def holds(self, cure: Alteration) -> bool:
        """Return whether the check holds with a cure on all traces, and the processor still has results."""
        cured = CuredPlayer(self._player, cure)
        if not self._holds_on(cured, self._counterexample.trace):
            return False
        if not all(self._holds_on(cured, trace) for trace in self._failing):
            return False
        drawing = Drawing(cured)
        drawn = [drawing.trace(Random(f"cure-{number}")) for number in range(TRACES_FOR_A_CURE)]
        return all(self._holds_on(cured, trace) for trace in drawn) and not self._silences(cured, drawn)

    def _holds_on(self, cured: CuredPlayer, trace: Trace) -> bool:
        whole = cured.ended(altered_trace(self._player, cured.alteration, trace))
        return self._counterexample.check.fails(cured, whole) is None

    def _silences(self, cured: CuredPlayer, traces: list[Trace]) -> bool:
        """Return whether a processor has no results any more. Nothing can be wrong with them then."""
        numbers = [
            sum(len(player.as_spark(player.ended(trace)).outputs) for trace in traces)
            for player in (self._player, cured)
        ]
        return 2 * numbers[1] < numbers[0]

    @cached_property
    def _failing(self) -> list[Trace]:
        """Random traces on which the check fails. A rare failure is not cured because it does not occur."""
        found: list[Trace] = []
        for number in range(_MOST_TRACES):
            trace = self._player.ended(self._drawing.trace(Random(f"failing-{number}")))
            if self._counterexample.check.fails(self._player, trace) is not None:
                found.append(trace)
                if len(found) == _FAILING_TRACES:
                    break
        return found


def _cures(subject: ProcessorUnderTest) -> Iterator[Alteration]:
    for cure in CURES:
        if cure.timer_shift and subject.mode == "ProcessingTime":
            continue  # timers of processing time are at no border of a window
        if cure.rows_before_watermark and (subject.late is None or subject.form != "rows"):
            continue
        if cure.expiry_shift and subject.form == "group-state":
            continue
        if cure.clears_without_timers and subject.keeps:
            continue  # states that may remain need no timer
        yield cure


def _columns_with_ties(subject: ProcessorUnderTest) -> Iterator[str]:
    """Yield the columns that can be made distinct: numbers, and the event time first."""
    if subject.time:
        yield subject.time
    for name in subject.values:
        if isinstance(subject.inputs[name].dataType, IntegralType | FractionalType | DecimalType):
            yield name


def _shifted_results(subject: ProcessorUnderTest) -> Iterator[Alteration]:
    for column in subject.outputs:
        is_time = isinstance(column.dataType, TimestampType | TimestampNTZType)
        if column.name in subject.keys or not (is_time or isinstance(column.dataType, IntegralType)):
            continue
        for shift in (1, -1):
            more, less = ("1 ms later", "1 ms earlier") if is_time else ("1 more", "1 less")
            yield Alteration(
                words=f"if {column.name} were {more if shift > 0 else less} in each result",
                later_result=column.name,
                result_shift=shift,
            )
