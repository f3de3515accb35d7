"""What must be true of every source subtask, whatever else it does; no reference is asked."""

from collections.abc import Sequence

from msgspec.structs import replace

from ...wire.scenario import Scenario
from ...wire.steps.source import (
    AdvanceStep,
    AnnouncementStep,
    BackpressureStep,
    EndOfInputStep,
    RecordStep,
    SourceSetup,
)
from ...wire.timestamps import MAX, MIN, from_wire, to_wire
from ...wire.transcript import Transcript
from ...wire.vocabulary import (
    Active,
    AnyOutput,
    Blocked,
    Error,
    Idle,
    Record,
    Report,
    SplitsPaused,
    SplitsResumed,
    Step,
    Unblocked,
    Watermark,
)
from ..property import Holds, Property
from ..shared.properties import (
    SHIFT_MS,
    goes_back,
    nothing_between,
    output_increases,
    outputs_moved,
    outputs_of,
    same_in_all,
    shifted,
    status_alternates,
    uninterrupted,
    watermarks_in,
    with_restores,
)
from ..shared.twins import as_renamed, renamed

_STATUSES = {"idleness_ends_with": "record", "split_resumption": "any-watermark"}


def _aligned(scenario: Scenario) -> bool:
    assert isinstance(scenario.setup, SourceSetup)
    return scenario.setup.aligned


def _no_record_while_idle(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    return nothing_between(scenarios[0], transcripts[0], Idle, Active, (Record, Watermark))


def _silent_while_blocked(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    """Where a span has both a record and a change, it may be in either order: they go to two receivers."""
    if goes_back(scenarios[0]):
        return None
    arose = None
    blocked = False
    for outputs in transcripts[0].outputs:
        changes = [output for output in outputs if isinstance(output, Blocked | Unblocked)]
        if blocked and not changes and any(isinstance(output, Record) for output in outputs):
            return False
        for change in changes:
            if blocked and isinstance(change, Blocked):
                return False
            blocked = isinstance(change, Blocked)
            arose = arose or blocked or None
    return arose


def _silent_while_paused(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    """Only what a step on the split itself outputs is looked at."""
    if goes_back(scenarios[0]):
        return None
    arose = None
    paused: set[str] = set()
    for step, outputs in zip(scenarios[0].history, transcripts[0].outputs, strict=False):
        if isinstance(step, RecordStep) and step.split in paused:
            arose = True
            if any(isinstance(output, Record) for output in outputs):
                return False
        if not any(isinstance(output, Error) for output in outputs):
            paused.discard(getattr(step, "split", "") if type(step).__name__ == "FinishStep" else "")
        for output in outputs:
            if isinstance(output, SplitsPaused):
                paused |= set(output.splits)
            if isinstance(output, SplitsResumed):
                paused -= set(output.splits)
    return arose


def _blocked_only_beyond_the_bound(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    """After each step: blocked or not, as the last watermark exceeds the last bound or not."""
    if goes_back(scenarios[0]) or not _aligned(scenarios[0]):
        return None
    arose = None
    blocked, bound, watermark = False, MAX, MIN
    for step, outputs in zip(scenarios[0].history, transcripts[0].outputs, strict=False):
        if isinstance(step, EndOfInputStep) and outputs:
            return arose
        if isinstance(step, AnnouncementStep) and not any(isinstance(output, Error) for output in outputs):
            bound, arose = from_wire(step.bound), True
        for output in outputs:
            if isinstance(output, Watermark):
                watermark = from_wire(output.timestamp)
            if isinstance(output, Blocked | Unblocked):
                blocked = isinstance(output, Blocked)
        if blocked != (watermark > bound):
            return False
    return arose


def _off_means_off(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    if _aligned(scenarios[0]):
        return None
    unwanted = (Report, Blocked, Unblocked, SplitsPaused, SplitsResumed)
    return not any(isinstance(output, unwanted) for output in outputs_of(transcripts[0]))


def _reports_what_it_emitted(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    """A span's reports may come before or after what else it outputs: they go to another receiver."""
    if goes_back(scenarios[0]):
        return None
    arose = None
    watermark, idle = MIN, False
    for outputs in transcripts[0].outputs:
        emitted = [(watermark, idle)]
        for output in outputs:
            if isinstance(output, Watermark):
                watermark = from_wire(output.timestamp)
            if isinstance(output, Idle | Active):
                idle = isinstance(output, Idle)
            emitted.append((watermark, idle))
        right = {MAX if was_idle else at for at, was_idle in emitted if at != MIN}
        reported = {from_wire(output.watermark) for output in outputs if isinstance(output, Report)}
        if not reported <= right:
            return False
        arose = arose or bool(reported) or None
    return arose


def _moved(timestamp: int | str) -> int | str:
    return timestamp + SHIFT_MS if isinstance(timestamp, int) else timestamp


def _output_moved(output: AnyOutput) -> AnyOutput:
    if isinstance(output, Record | Watermark):
        return replace(output, timestamp=_moved(output.timestamp))
    if isinstance(output, Report):
        return replace(output, watermark=to_wire(from_wire(_moved(output.watermark))))
    return output


def _shift(_: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    if not any(timestamp not in (MIN, MAX) for timestamp in watermarks_in(outputs_of(transcripts[0]))):
        return None
    return outputs_moved(transcripts, _output_moved)


def _without_blocked_time(scenario: Scenario) -> list[Scenario]:
    """The history without the time that passes under backpressure."""
    kept: list[Step] = []
    backpressured = False
    for step in scenario.history:
        if isinstance(step, BackpressureStep):
            backpressured = step.on
        if not (backpressured and isinstance(step, AdvanceStep) and step.milliseconds >= 0):
            kept.append(step)
    if goes_back(scenario) or len(kept) == len(scenario.history):
        return [scenario]
    return [replace(scenario, history=tuple(kept), groups=())]


def _takes_no_time(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    if len(scenarios[0].history) == len(scenarios[1].history):
        return None
    return same_in_all(transcripts[0], transcripts[1])


_NAMES = ("split",)

PROPERTIES = (
    Property(
        name="source-output-increases",
        sentence="The watermark that goes downstream strictly increases.",
        rules=("SOURCE-15",),
        holds=output_increases,
        holds_under={"source_end_of_input": "ends-all"},
    ),
    Property(
        name="source-status-alternates",
        sentence="IDLE and ACTIVE alternate in the output, and IDLE is the first.",
        rules=("SOURCE-5",),
        holds=status_alternates,
        holds_under={},
    ),
    Property(
        name="source-no-record-while-idle",
        sentence="Between IDLE and ACTIVE neither a record nor a watermark goes downstream.",
        rules=("SOURCE-5",),
        holds=_no_record_while_idle,
        holds_under={**_STATUSES, "source_end_of_input": "ends-all"},
    ),
    Property(
        name="source-silent-while-blocked",
        sentence="Between blocked and unblocked no record goes downstream.",
        rules=("SOURCE-1",),
        holds=_silent_while_blocked,
        holds_under={},
    ),
    Property(
        name="source-silent-while-paused",
        sentence="From the pause of a split to its resumption none of its records goes downstream.",
        rules=("SOURCE-11",),
        holds=_silent_while_paused,
        holds_under={"source_paused_split": "not-read"},
        needs_steps=True,
    ),
    Property(
        name="source-blocked-only-beyond-the-bound",
        sentence="A subtask is blocked exactly while its watermark exceeds its bound.",
        rules=("SOURCE-2", "SOURCE-3"),
        holds=_blocked_only_beyond_the_bound,
        holds_under={"source_aligned_watermark": "newest"},
        needs_steps=True,
    ),
    Property(
        name="source-off-means-off",
        sentence="Without alignment nothing is reported, blocked or paused.",
        rules=("SOURCE-4",),
        holds=_off_means_off,
        holds_under={"source_bound_without_alignment": "ignored"},
    ),
    Property(
        name="source-reports-what-it-emitted",
        sentence="A report is the last watermark that went downstream, or MAX after IDLE; never before one.",
        rules=("SOURCE-6", "SOURCE-7", "SOURCE-8"),
        holds=_reports_what_it_emitted,
        holds_under={},
    ),
    Property(
        name="source-shift",
        sentence="Moving all timestamps and bounds by the same time moves all outputs by that time.",
        rules=("SOURCE-1",),
        holds=_shift,
        holds_under={},
        variants=shifted,
    ),
    Property(
        name="source-renamed",
        sentence="With other names of splits, in another order, the outputs differ in the names only.",
        rules=("SOURCE-9", "SOURCE-10"),
        holds=as_renamed(_NAMES),
        holds_under={},
        variants=renamed(_NAMES),
    ),
    Property(
        name="source-backpressure-takes-no-time",
        sentence="Time that passes under backpressure changes nothing.",
        rules=("SOURCE-13",),
        holds=_takes_no_time,
        holds_under={"idleness_reading_zero": "starts"},
        variants=_without_blocked_time,
    ),
    Property(
        name="source-snapshot-restore",
        sentence="A snapshot and a restore before every step change nothing.",
        rules=("SOURCE-17",),
        holds=uninterrupted,
        holds_under={},
        variants=with_restores,
        needs=("snapshot",),
    ),
)
