"""What must be true of every input activity clock; no reference is asked."""

from collections.abc import Sequence
from itertools import pairwise

from ...wire.scenario import Scenario
from ...wire.steps.clock import AdvanceStep
from ...wire.transcript import Transcript
from ...wire.vocabulary import Reading
from ..property import Holds, Property
from ..shared.properties import accepted, goes_back, outputs_of, uninterrupted, with_restores


def _never_goes_back(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    readings = [o.nanoseconds for o in outputs_of(transcripts[0]) if isinstance(o, Reading)]
    if goes_back(scenarios[0]) or len(readings) < 2:
        return None
    return all(earlier <= later for earlier, later in pairwise(readings))


def _no_faster_than_time(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    if goes_back(scenarios[0]):
        return None
    arose = None
    passed, last = 0, None
    for step, outputs in accepted(scenarios[0], transcripts[0]):
        if isinstance(step, AdvanceStep):
            passed += max(0, step.nanoseconds)  # a clock that accepts less stays where it is
        for output in outputs:
            if isinstance(output, Reading):
                if last is not None:
                    arose = True
                    if output.nanoseconds - last > passed:
                        return False
                passed, last = 0, output.nanoseconds
    return arose


PROPERTIES = (
    Property(
        name="clock-never-goes-back",
        sentence="No reading is smaller than one before it.",
        rules=("CLOCK-5",),
        holds=_never_goes_back,
        holds_under={},
    ),
    Property(
        name="clock-no-faster-than-time",
        sentence="Between two readings the clock advances by no more than the time that passes.",
        rules=("CLOCK-1",),
        holds=_no_faster_than_time,
        holds_under={},
        needs_steps=True,
    ),
    Property(
        name="clock-snapshot-restore",
        sentence="A snapshot and a restore before every step change nothing.",
        rules=("CLOCK-6",),
        holds=uninterrupted,
        holds_under={},
        variants=with_restores,
        needs=("snapshot",),
    ),
)
