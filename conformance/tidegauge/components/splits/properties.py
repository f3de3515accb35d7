"""What must be true of every combination, whatever else it does; no reference is asked."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from msgspec.structs import replace

from ...property import Holds, Property
from ...scenario import Scenario
from ...timestamps import MAX, MIN, from_wire, to_wire
from ...transcript import Transcript
from ...vocabulary import Active, AnyOutput, Error, Idle, Restore, Snapshot, Step, Watermark
from .vocabulary import (
    AddSplitStep,
    InputActiveStep,
    InputIdleStep,
    InputWatermarkStep,
    OperatorInputsSetup,
    RemoveSplitStep,
    SplitActiveStep,
    SplitIdleStep,
    SplitWatermarkStep,
)

_ALTERNATES = {"split_status": "changes", "split_resumption": "any-watermark"}

Parts = dict[str | int, tuple[int, bool]]
"""What a history has told of each part: its largest watermark (ms), and whether it is idle."""


def _flat(transcript: Transcript) -> list[AnyOutput]:
    return [output for outputs in transcript.outputs for output in outputs]


def _watermarks(outputs: Sequence[AnyOutput]) -> list[int]:
    return [from_wire(output.timestamp) for output in outputs if isinstance(output, Watermark)]


def _goes_back(scenario: Scenario) -> bool:
    """Whether a restore returns to an earlier moment, so that outputs may come again."""
    return any(isinstance(step, Restore) for step in scenario.history)


def _told(parts: Parts, step: Step) -> None:
    """Put what a step says of its part into `parts`."""
    name = getattr(step, "split", getattr(step, "input", None))
    if isinstance(step, AddSplitStep):
        parts.setdefault(step.split, (MIN, False))
    elif isinstance(step, RemoveSplitStep):
        parts.pop(step.split, None)
    elif name in parts:
        watermark, _ = parts[name]
        if isinstance(step, SplitWatermarkStep | InputWatermarkStep):
            parts[name] = (max(watermark, from_wire(step.timestamp)), False)
        elif isinstance(step, SplitIdleStep | InputIdleStep):
            parts[name] = (watermark, True)
        elif isinstance(step, SplitActiveStep | InputActiveStep):
            parts[name] = (watermark, False)


def _at_each_step(scenario: Scenario, transcript: Transcript) -> Iterator[tuple[Parts, Sequence[AnyOutput]]]:
    """What the parts have delivered after each step, and the step's outputs."""
    parts = _at_first(scenario)
    for step, outputs in zip(scenario.history, transcript.outputs, strict=False):
        _told(parts, step)
        yield parts, outputs


def _at_first(scenario: Scenario) -> Parts:
    inputs = scenario.setup.inputs if isinstance(scenario.setup, OperatorInputsSetup) else 0
    return dict.fromkeys(range(inputs), (MIN, False))


def _output_increases(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    watermarks = _watermarks(_flat(transcripts[0]))
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


def _each_watermark(
    allowed: Callable[[int, Parts], bool],
) -> Callable[[Sequence[Scenario], Sequence[Transcript]], Holds]:
    """Whether each watermark that is output is allowed by what the parts have delivered by then."""

    def holds(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
        if _goes_back(scenarios[0]):
            return None
        arose = None
        for parts, outputs in _at_each_step(scenarios[0], transcripts[0]):
            for watermark in _watermarks(outputs):
                arose = True
                if not allowed(watermark, parts):
                    return False
        return arose

    return holds


def _nobody_active_is_behind(watermark: int, parts: Parts) -> bool:
    return all(idle or delivered >= watermark for delivered, idle in parts.values())


def _somebody_said_it(watermark: int, parts: Parts) -> bool:
    return any(delivered == watermark for delivered, _ in parts.values())


def _not_the_end_too_early(watermark: int, parts: Parts) -> bool:
    return watermark < MAX or all(delivered == MAX for delivered, _ in parts.values())


def _idle_last(scenario: Scenario) -> list[Scenario]:
    """The history, then every part idle, in ascending and in descending order."""
    parts = _at_first(scenario)
    for step in scenario.history:
        _told(parts, step)
    if not parts:
        return []
    last = [
        InputIdleStep(name) if isinstance(name, int) else SplitIdleStep(name)
        for name in sorted(parts, key=str)
    ]
    groups = (len(scenario.history), len(last))
    return [
        replace(scenario, history=(*scenario.history, *order), groups=groups) for order in (last, last[::-1])
    ]


def _idle_order(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    endings = [_watermarks(_flat(transcript))[-1:] for transcript in transcripts[1:]]
    if _goes_back(scenarios[0]) or not any(endings):
        return None
    return endings[0] == endings[1]


def _shifted(scenario: Scenario) -> list[Scenario]:
    """The history with all timestamps moved by 1000 ms."""
    return [replace(scenario, history=tuple(_moved(step) for step in scenario.history))]


def _moved(step: Step) -> Step:
    if isinstance(step, SplitWatermarkStep | InputWatermarkStep) and isinstance(step.timestamp, int):
        return replace(step, timestamp=step.timestamp + 1000)
    return step


def _shift(_: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    original, shifted = transcripts
    if not any(timestamp != MAX for timestamp in _watermarks(_flat(original))):
        return None
    moved = tuple(tuple(_output_moved(output) for output in outputs) for outputs in original.outputs)
    return moved == shifted.outputs


def _output_moved(output: AnyOutput) -> AnyOutput:
    if isinstance(output, Watermark) and output.timestamp != "MAX":
        return replace(output, timestamp=to_wire(from_wire(output.timestamp) + 1000))
    return output


def _with_restores(scenario: Scenario) -> list[Scenario]:
    """The history with a snapshot and at once a restore before every step."""
    if _goes_back(scenario):
        return [scenario]
    history = tuple(part for step in scenario.history for part in (Snapshot(), Restore(), step))
    return [replace(scenario, history=history, groups=(), needs=("snapshot",))]


def _snapshot_restore(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    given = _flat(transcripts[0])
    if _goes_back(scenarios[0]) or all(isinstance(output, Error) for output in given):
        return None
    return given == _flat(transcripts[1])


PROPERTIES = (
    Property(
        name="splits-output-increases",
        sentence="The output watermark strictly increases.",
        rules=("SPLIT-2",),
        holds=_output_increases,
        holds_under={},
    ),
    Property(
        name="splits-status-alternates",
        sentence="IDLE and ACTIVE alternate in the output, and IDLE is the first.",
        rules=("SPLIT-6", "SPLIT-8"),
        holds=_status_alternates,
        holds_under=_ALTERNATES,
    ),
    Property(
        name="splits-no-watermark-while-idle",
        sentence="Between IDLE and ACTIVE no watermark is output.",
        rules=("SPLIT-8", "SPLIT-5"),
        holds=_no_watermark_while_idle,
        holds_under=_ALTERNATES,
    ),
    Property(
        name="splits-nobody-left-behind",
        sentence="A watermark is output only when every active part has delivered at least as much.",
        rules=("SPLIT-1", "SPLIT-9", "SPLIT-2"),
        holds=_each_watermark(_nobody_active_is_behind),
        holds_under={},
        needs_steps=True,
    ),
    Property(
        name="splits-nothing-made-up",
        sentence="A watermark that is output is the watermark of a part.",
        rules=("SPLIT-2", "SPLIT-7"),
        holds=_each_watermark(_somebody_said_it),
        holds_under={},
        needs_steps=True,
    ),
    Property(
        name="splits-end-of-time",
        sentence="MAX is output only when every part has delivered it.",
        rules=("SPLIT-11", "SPLIT-7"),
        holds=_each_watermark(_not_the_end_too_early),
        holds_under={"split_finished": "leaves"},
        needs_steps=True,
    ),
    Property(
        name="splits-idle-order",
        sentence="The order in which all parts go idle leaves the final watermark unchanged.",
        rules=("SPLIT-5", "SPLIT-4"),
        holds=_idle_order,
        holds_under={},
        variants=_idle_last,
    ),
    Property(
        name="splits-shift",
        sentence="Moving all timestamps by the same time moves all output watermarks by that time.",
        rules=("SPLIT-2",),
        holds=_shift,
        holds_under={},
        variants=_shifted,
    ),
    Property(
        name="splits-snapshot-restore",
        sentence="A snapshot and a restore before every step change nothing.",
        rules=("SPLIT-13",),
        holds=_snapshot_restore,
        holds_under={},
        variants=_with_restores,
        needs=("snapshot",),
    ),
)
