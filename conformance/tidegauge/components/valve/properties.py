"""What must be true of every valve, whatever else it does; no reference is asked."""

from collections.abc import Sequence
from itertools import pairwise

from msgspec.structs import replace

from ...property import Holds, Property
from ...scenario import Scenario
from ...timestamps import MAX, MIN, from_wire, to_wire
from ...transcript import Transcript
from ...vocabulary import Active, AnyOutput, Idle, Restore, Snapshot, Step, Watermark
from .vocabulary import IdleStep, ValveSetup, WatermarkStep

_FIXED = {"valve_flush_when_all_idle": "always", "valve_minimum_when_active": "derived"}


def _flat(transcript: Transcript) -> list[AnyOutput]:
    return [output for outputs in transcript.outputs for output in outputs]


def _watermarks(transcript: Transcript) -> list[int]:
    return [from_wire(output.timestamp) for output in _flat(transcript) if isinstance(output, Watermark)]


def _channels(scenario: Scenario) -> int:
    assert isinstance(scenario.setup, ValveSetup)
    return scenario.setup.channels


def _goes_back(scenario: Scenario) -> bool:
    """Whether a restore returns to an earlier moment, so that outputs may come again."""
    return any(isinstance(step, Restore) for step in scenario.history)


def _output_increases(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    watermarks = _watermarks(transcripts[0])
    if _goes_back(scenarios[0]) or len(watermarks) < 2:
        return None
    return all(earlier < later for earlier, later in pairwise(watermarks))


def _status_alternates(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    statuses = [type(output) for output in _flat(transcripts[0]) if isinstance(output, Idle | Active)]
    if _goes_back(scenarios[0]) or not statuses:
        return None
    return all(status is (Active if index % 2 else Idle) for index, status in enumerate(statuses))


def _no_watermark_while_idle(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    outputs = _flat(transcripts[0])
    if _goes_back(scenarios[0]) or not any(isinstance(output, Idle) for output in outputs):
        return None
    idle = False
    for output in outputs:
        if isinstance(output, Watermark) and idle:
            return False
        if isinstance(output, Idle | Active):
            idle = isinstance(output, Idle)
    return True


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
    return MAX not in _watermarks(transcripts[0]) or ended >= set(range(_channels(scenario)))


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
    ascending, descending = (_watermarks(transcript) for transcript in transcripts[1:])
    if not ascending and not descending:
        return None
    return ascending[-1:] == descending[-1:]


def _shifted(scenario: Scenario) -> list[Scenario]:
    """The history with all timestamps moved by 1000 ms."""
    return [replace(scenario, history=tuple(_moved(step) for step in scenario.history))]


def _moved(step: Step) -> Step:
    if isinstance(step, WatermarkStep) and isinstance(step.timestamp, int):
        return replace(step, timestamp=step.timestamp + 1000)
    return step


def _shift(_: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    original, shifted = transcripts
    if not any(timestamp not in (MIN, MAX) for timestamp in _watermarks(original)):
        return None
    moved = tuple(tuple(_output_moved(output) for output in outputs) for outputs in original.outputs)
    return moved == shifted.outputs


def _output_moved(output: AnyOutput) -> AnyOutput:
    if isinstance(output, Watermark) and output.timestamp not in ("MIN", "MAX"):
        return replace(output, timestamp=to_wire(from_wire(output.timestamp) + 1000))
    return output


def _with_restores(scenario: Scenario) -> list[Scenario]:
    """The history with a snapshot and at once a restore before every step."""
    if _goes_back(scenario):
        return [scenario]
    history = tuple(part for step in scenario.history for part in (Snapshot(), Restore(), step))
    return [replace(scenario, history=history, groups=(), needs=("snapshot",))]


def _snapshot_restore(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    if _goes_back(scenarios[0]) or not _flat(transcripts[0]):
        return None
    return _flat(transcripts[0]) == _flat(transcripts[1])


PROPERTIES = (
    Property(
        name="valve-output-increases",
        sentence="The output watermark strictly increases.",
        rules=("VALVE-4", "VALVE-9", "VALVE-3"),
        holds=_output_increases,
        holds_under={},
    ),
    Property(
        name="valve-status-alternates",
        sentence="IDLE and ACTIVE alternate in the output, and IDLE is the first.",
        rules=("VALVE-13", "VALVE-14", "VALVE-7"),
        holds=_status_alternates,
        holds_under={},
    ),
    Property(
        name="valve-no-watermark-while-idle",
        sentence="Between IDLE and ACTIVE no watermark is output.",
        rules=("VALVE-16", "VALVE-5"),
        holds=_no_watermark_while_idle,
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
        holds_under={},
        variants=_shifted,
    ),
    Property(
        name="valve-snapshot-restore",
        sentence="A snapshot and a restore before every step change nothing.",
        rules=("VALVE-23",),
        holds=_snapshot_restore,
        holds_under={},
        variants=_with_restores,
        needs=("snapshot",),
    ),
)
