"""What must be true of every valve, whatever else it does; no reference is asked."""

from collections.abc import Sequence

from msgspec.structs import replace

from ...wire.scenario import Scenario
from ...wire.steps.valve import IdleStep, ValveSetup, WatermarkStep
from ...wire.timestamps import MAX, MIN, from_wire, to_wire
from ...wire.transcript import Transcript
from ...wire.vocabulary import AnyOutput, Watermark
from ..property import Holds, Property
from ..shared.properties import (
    SHIFT_MS,
    no_watermark_while_idle,
    output_increases,
    outputs_moved,
    outputs_of,
    shifted,
    status_alternates,
    uninterrupted,
    watermarks_in,
    with_restores,
)
from ..shared.twins import as_with_one
from ..shared.widening import by_number, with_a_twin

_FIXED = {"valve_flush_when_all_idle": "always", "valve_minimum_when_active": "derived"}


def _channels(scenario: Scenario) -> int:
    assert isinstance(scenario.setup, ValveSetup)
    return scenario.setup.channels


def _nothing_pending(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    """A watermark step can release at most its own timestamp: anything larger was due earlier."""
    arose = None
    for step, outputs in zip(scenarios[0].history, transcripts[0].outputs, strict=False):
        for output in outputs:
            if isinstance(step, WatermarkStep) and isinstance(output, Watermark):
                arose = True
                if from_wire(output.timestamp) > from_wire(step.timestamp):
                    return False
    return arose


def _end_of_time(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    """`MAX` needs a `MAX` on every channel: the channels' ends are facts of the history."""
    scenario = scenarios[0]
    ended = {
        step.channel
        for step in scenario.history
        if isinstance(step, WatermarkStep) and step.timestamp == "MAX"
    }
    if not ended:
        return None
    return MAX not in watermarks_in(outputs_of(transcripts[0])) or ended >= set(range(_channels(scenario)))


def _idle_last(scenario: Scenario) -> list[Scenario]:
    """The history, then every channel idle, in ascending and in descending order."""
    channels = range(_channels(scenario))
    return [
        replace(
            scenario,
            history=(*scenario.history, *(IdleStep(channel) for channel in order)),
            groups=(len(scenario.history), _channels(scenario)),
        )
        for order in (channels, reversed(channels))
    ]


def _idle_order(_: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    ascending, descending = (watermarks_in(outputs_of(transcript)) for transcript in transcripts[1:])
    if not ascending and not descending:
        return None
    return ascending[-1:] == descending[-1:]


def _shift(_: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    if not any(timestamp not in (MIN, MAX) for timestamp in watermarks_in(outputs_of(transcripts[0]))):
        return None
    return outputs_moved(transcripts, _output_moved)


def _output_moved(output: AnyOutput) -> AnyOutput:
    if isinstance(output, Watermark) and output.timestamp not in ("MIN", "MAX"):
        return replace(output, timestamp=to_wire(from_wire(output.timestamp) + SHIFT_MS))
    return output


def _with_a_twin(scenario: Scenario) -> list[Scenario]:
    """Channel 0 twice; the others move up."""
    parts = _channels(scenario)
    history = by_number(scenario.history, "channel", with_a_twin(parts), parts)
    return [replace(scenario, setup=ValveSetup(parts + 1), history=history, groups=())]


_FROM_NOTHING = {"initial_watermark": "none"}
"""There is no watermark before the first one; a watermark at the start stays where it is, whatever moves."""

PROPERTIES = (
    Property(
        name="valve-output-increases",
        sentence="The output watermark strictly increases.",
        rules=("VALVE-4", "VALVE-9", "VALVE-3"),
        holds=output_increases,
        holds_under={},
    ),
    Property(
        name="valve-status-alternates",
        sentence="IDLE and ACTIVE alternate in the output, and IDLE is the first.",
        rules=("VALVE-13", "VALVE-14", "VALVE-7"),
        holds=status_alternates,
        holds_under={},
    ),
    Property(
        name="valve-no-watermark-while-idle",
        sentence="Between IDLE and ACTIVE no watermark is output.",
        rules=("VALVE-16", "VALVE-5"),
        holds=no_watermark_while_idle,
        holds_under={},
    ),
    Property(
        name="valve-nothing-pending",
        sentence="A watermark on a channel makes the valve output nothing greater than itself.",
        rules=("VALVE-12", "VALVE-6", "VALVE-11", "VALVE-17"),
        holds=_nothing_pending,
        holds_under={**_FIXED, "valve_minimum_when_idle": "derived", "valve_finished_channel": "leaves"},
        needs_steps=True,
    ),
    Property(
        name="valve-end-of-time",
        sentence="MAX is output only when all inputs are finished.",
        rules=("VALVE-17", "VALVE-18", "VALVE-11"),
        holds=_end_of_time,
        holds_under={"valve_finished_channel": "leaves"},
    ),
    Property(
        name="valve-idle-order",
        sentence="The order in which all channels go idle leaves the final watermark unchanged.",
        rules=("VALVE-15", "VALVE-6"),
        holds=_idle_order,
        holds_under=_FIXED,
        variants=_idle_last,
    ),
    Property(
        name="valve-shift",
        sentence="Moving all timestamps by the same time moves all output watermarks by that time.",
        rules=("VALVE-2",),
        holds=_shift,
        holds_under=_FROM_NOTHING,
        variants=shifted,
    ),
    Property(
        name="valve-equal-channels",
        sentence="A second channel that does all that the first one does changes nothing.",
        rules=("VALVE-2", "VALVE-14"),
        holds=as_with_one,
        holds_under={
            **_FIXED,
            "valve_minimum_when_idle": "derived",
            "valve_finished_channel": "leaves",
        },
        variants=_with_a_twin,
    ),
    Property(
        name="valve-snapshot-restore",
        sentence="A snapshot and a restore before every step change nothing.",
        rules=("VALVE-23",),
        holds=uninterrupted,
        holds_under={},
        variants=with_restores,
        needs=("snapshot",),
    ),
)
