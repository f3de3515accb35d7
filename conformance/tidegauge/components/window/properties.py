"""What must be true of all windows, whatever else they do; no reference is asked."""

from collections import Counter
from collections.abc import Sequence
from itertools import chain

from msgspec.structs import replace

from ...wire.scenario import Scenario
from ...wire.steps.window import ActiveStep, IdleStep, RecordStep, Session, WatermarkStep, WindowSetup
from ...wire.timestamps import MIN, from_wire
from ...wire.transcript import Transcript, same_outputs
from ...wire.vocabulary import Active, Drop, Fire, Idle, Late, Retract
from ..property import Holds, Property
from ..shared.properties import goes_back, output_increases, outputs_of, uninterrupted, with_restores
from .moving import moved, output_moved, period


def _fires(transcript: Transcript) -> list[Fire]:
    return [output for output in outputs_of(transcript) if isinstance(output, Fire)]


def _setup(scenario: Scenario) -> WindowSetup:
    assert isinstance(scenario.setup, WindowSetup)
    return scenario.setup


def _values(scenario: Scenario) -> Counter[int]:
    """How often each value came."""
    return Counter(step.value for step in scenario.history if isinstance(step, RecordStep))


def _fires_once(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    fires = _fires(transcripts[0])
    if goes_back(scenarios[0]) or _setup(scenarios[0]).accumulation != "discarding" or not fires:
        return None
    came = _values(scenarios[0])
    in_window: dict[object, Counter[int]] = {}
    for fire in fires:
        in_window.setdefault((fire.start, fire.end), Counter()).update(fire.values)
    return all(values <= came for values in in_window.values())


def _results_grow(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    if goes_back(scenarios[0]) or _setup(scenarios[0]).accumulation == "discarding":
        return None
    last: dict[object, Counter[int]] = {}
    arose = None
    for fire in _fires(transcripts[0]):
        window, values = (fire.start, fire.end), Counter(fire.values)
        if window in last:
            arose = True
            if not last[window] < values:
                return False
        last[window] = values
    return arose


def _retracts_what_stands(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    mode = _setup(scenarios[0]).accumulation
    outputs = [output for output in outputs_of(transcripts[0]) if isinstance(output, Fire | Retract)]
    if goes_back(scenarios[0]) or not outputs:
        return None
    if mode != "accumulating-and-retracting":
        return not any(isinstance(output, Retract) for output in outputs)
    sessions = isinstance(_setup(scenarios[0]).assigner, Session)
    came = _values(scenarios[0])
    standing: dict[object, tuple[int, ...]] = {}
    for output in outputs:
        window = (output.start, output.end)
        if isinstance(output, Retract):
            if standing.pop(window, None) != output.values:
                return False
            continue
        if window in standing:
            return False
        standing[window] = output.values
        if sessions and not Counter(chain.from_iterable(standing.values())) <= came:
            return False
    return True


def _nothing_late_in_time(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    """At most as many records are late as came when the watermark was past them by the lateness."""
    watermark, behind, records = MIN, 0, 0
    for step in scenarios[0].history:
        if isinstance(step, WatermarkStep):
            watermark = max(watermark, from_wire(step.timestamp))
        elif isinstance(step, RecordStep):
            records += 1
            behind += from_wire(step.timestamp) + _setup(scenarios[0]).allowed_lateness <= watermark
    if goes_back(scenarios[0]) or not records:
        return None
    return sum(isinstance(output, Late | Drop) for output in outputs_of(transcripts[0])) <= behind


def _not_before_its_time(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    """What fires without the per-record trigger ends before or at the largest watermark of the history."""
    fires = _fires(transcripts[0])
    if _setup(scenarios[0]).trigger == "per-record" or not fires:
        return None
    marks = [from_wire(step.timestamp) for step in scenarios[0].history if isinstance(step, WatermarkStep)]
    return all(from_wire(fire.end) - 1 <= max(marks, default=MIN) for fire in fires)


def _without_statuses(scenario: Scenario) -> list[Scenario]:
    """The history without the steps `idle` and `active`."""
    history = tuple(step for step in scenario.history if not isinstance(step, IdleStep | ActiveStep))
    return [replace(scenario, history=history or scenario.history, groups=())]


def _statuses_change_nothing(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    if len(scenarios[0].history) == len(scenarios[1].history):
        return None
    with_, without = (
        tuple(output for output in outputs_of(transcript) if not isinstance(output, Idle | Active))
        for transcript in transcripts
    )
    return same_outputs(with_, without)


_PERIODS = 1000


def _shifted(scenario: Scenario) -> list[Scenario]:
    """The history moved by many slides of its windows."""
    milliseconds = _PERIODS * period(_setup(scenario))
    return [replace(scenario, history=tuple(moved(step, milliseconds) for step in scenario.history))]


def _shift(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    original, shifted = map(outputs_of, transcripts)
    if not _fires(transcripts[0]):
        return None
    milliseconds = _PERIODS * period(_setup(scenarios[0]))
    return same_outputs(tuple(output_moved(output, milliseconds) for output in original), tuple(shifted))


_FROM_NOTHING = {"initial_watermark": "none"}
"""There is no watermark before the first one; a watermark at the start stays where it is, whatever moves."""

_WITHIN_EVENT_TIME = {**_FROM_NOTHING, "window_beyond_event_time": "cut"}

PROPERTIES = (
    Property(
        name="window-fires-once",
        sentence="In the discarding mode no record is in two results of the same window.",
        rules=("WIN-8", "WIN-7"),
        holds=_fires_once,
        holds_under={},
    ),
    Property(
        name="window-results-grow",
        sentence="In the accumulating modes each further result of a window holds the previous result and "
        "more.",
        rules=("WIN-8", "WIN-7", "WIN-13"),
        holds=_results_grow,
        holds_under={},
    ),
    Property(
        name="window-retracts-what-stands",
        sentence="A retraction holds the last result of its window, and no record is in two results that "
        "stand.",
        rules=("WIN-9",),
        holds=_retracts_what_stands,
        holds_under={},
    ),
    Property(
        name="window-nothing-late-in-time",
        sentence="While no record is behind the watermark by the allowed lateness, no record is late.",
        rules=("WIN-11", "WIN-10", "WIN-2"),
        holds=_nothing_late_in_time,
        holds_under=_WITHIN_EVENT_TIME,
    ),
    Property(
        name="window-not-before-its-time",
        sentence="With the event-time trigger no window fires before a watermark has reached its end.",
        rules=("WIN-3",),
        holds=_not_before_its_time,
        holds_under=_FROM_NOTHING,
    ),
    Property(
        name="window-watermark-increases",
        sentence="The watermark that goes downstream strictly increases.",
        rules=("WIN-7",),
        holds=output_increases,
        holds_under={},
    ),
    Property(
        name="window-statuses-change-nothing",
        sentence="Without the statuses in the steps all other outputs are the same.",
        rules=("WIN-14",),
        holds=_statuses_change_nothing,
        holds_under={},
        variants=_without_statuses,
    ),
    Property(
        name="window-shift",
        sentence="Moving all of event time by a multiple of the slide moves all results by that time.",
        rules=("WIN-1",),
        holds=_shift,
        holds_under=_WITHIN_EVENT_TIME,
        variants=_shifted,
    ),
    Property(
        name="window-snapshot-restore",
        sentence="A snapshot and a restore before every step change nothing.",
        rules=("WIN-16",),
        holds=uninterrupted,
        holds_under={},
        variants=with_restores,
        needs=("snapshot",),
    ),
)
