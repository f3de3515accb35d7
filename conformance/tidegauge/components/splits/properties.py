"""What must be true of every combination, whatever else it does; no reference is asked."""

from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import replace

from ...wire.scenario import Scenario
from ...wire.steps.splits import (
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
from ...wire.timestamps import MAX, MIN, from_wire, to_wire
from ...wire.transcript import Transcript
from ...wire.vocabulary import AnyOutput, Error, Step, Watermark
from ..property import Holds, Property
from ..shared.properties import (
    SHIFT_MS,
    goes_back,
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
from ..shared.twins import as_renamed, as_with_one, renamed
from ..shared.widening import by_number, with_a_twin

_ALTERNATES = {"split_status": "changes", "split_resumption": "any-watermark"}

Parts = dict[str | int, tuple[int, bool]]
"""What a history has told of each part: its largest watermark (ms), and whether it is idle."""


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


def _each_watermark(
    allowed: Callable[[int, Parts], bool],
) -> Callable[[Sequence[Scenario], Sequence[Transcript]], Holds]:
    """Whether each watermark that is output is allowed by what the parts have delivered by then."""

    def holds(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
        if goes_back(scenarios[0]):
            return None
        arose = None
        for parts, outputs in _at_each_step(scenarios[0], transcripts[0]):
            for watermark in watermarks_in(outputs):
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
    endings = [watermarks_in(outputs_of(transcript))[-1:] for transcript in transcripts[1:]]
    if goes_back(scenarios[0]) or not any(endings):
        return None
    return endings[0] == endings[1]


def _shift(_: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    if not any(timestamp != MAX for timestamp in watermarks_in(outputs_of(transcripts[0]))):
        return None
    return outputs_moved(transcripts, _output_moved)


def _output_moved(output: AnyOutput) -> AnyOutput:
    if isinstance(output, Watermark) and output.timestamp != "MAX":
        return replace(output, timestamp=to_wire(from_wire(output.timestamp) + SHIFT_MS))
    return output


def _with_a_twin(scenario: Scenario) -> list[Scenario]:
    """Input 0 twice; the others move up. A split has no twin: its removal shows at the next update."""
    setup = scenario.setup
    if not isinstance(setup, OperatorInputsSetup):
        return [scenario]
    parts = setup.inputs
    history = by_number(scenario.history, "input", with_a_twin(parts), parts)
    return [replace(scenario, setup=OperatorInputsSetup(parts + 1), history=history, groups=())]


_NAMES = ("split",)


def _snapshot_restore(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    if all(isinstance(output, Error) for output in outputs_of(transcripts[0])):
        return None
    return uninterrupted(scenarios, transcripts)


PROPERTIES = (
    Property(
        name="splits-output-increases",
        sentence="The output watermark strictly increases.",
        rules=("SPLIT-2",),
        holds=output_increases,
        holds_under={},
    ),
    Property(
        name="splits-status-alternates",
        sentence="IDLE and ACTIVE alternate in the output, and IDLE is the first.",
        rules=("SPLIT-6", "SPLIT-8"),
        holds=status_alternates,
        holds_under=_ALTERNATES,
    ),
    Property(
        name="splits-no-watermark-while-idle",
        sentence="Between IDLE and ACTIVE no watermark is output.",
        rules=("SPLIT-8", "SPLIT-5"),
        holds=no_watermark_while_idle,
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
        variants=shifted,
    ),
    Property(
        name="splits-equal-inputs",
        sentence="A second input that does all that the first one does changes nothing.",
        rules=("SPLIT-2", "SPLIT-6"),
        holds=as_with_one,
        holds_under={**_ALTERNATES, "split_finished": "leaves"},
        variants=_with_a_twin,
    ),
    Property(
        name="splits-renamed",
        sentence="With other names, in another order, the splits output the same.",
        rules=("SPLIT-2", "SPLIT-12"),
        holds=as_renamed(_NAMES),
        holds_under={},
        variants=renamed(_NAMES),
    ),
    Property(
        name="splits-snapshot-restore",
        sentence="A snapshot and a restore before every step change nothing.",
        rules=("SPLIT-13",),
        holds=_snapshot_restore,
        holds_under={},
        variants=with_restores,
        needs=("snapshot",),
    ),
)
