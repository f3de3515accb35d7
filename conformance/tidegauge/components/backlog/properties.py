"""What must be true of every detector and combiner of backlog; no reference is asked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from tidegauge_reference.backlog import OPTION

from ...wire.scenario import Scenario
from ...wire.steps.backlog import (
    WATERMARK_LAG,
    ActiveStep,
    AttributesStep,
    ClockStep,
    CombinerSetup,
    ConfigureStep,
    DetectorSetup,
    IdleStep,
    OtherStep,
    WatermarkStep,
)
from ...wire.timestamps import MIN, from_wire
from ...wire.transcript import Transcript
from ...wire.vocabulary import AnyOutput, RecordAttributes, Snapshot, Step
from ..property import Holds, Property
from ..shared.properties import goes_back, outputs_of, uninterrupted, with_restores
from ..shared.twins import as_with_one
from ..shared.widening import by_number, with_a_twin


def _flags(outputs: Sequence[AnyOutput]) -> list[bool]:
    return [output.backlog for output in outputs if isinstance(output, RecordAttributes)]


def _all_flags(transcript: Transcript) -> list[bool]:
    return _flags(outputs_of(transcript))


@dataclass
class _Facts:
    """What a history says by itself about the subtask; the lag is that of the last watermark. `due`: the
    last step is one at which the lag is looked at; `caught_up`: it was within the threshold at one before."""

    threshold: int = 0
    started: bool = False
    now: int = 0
    watermark: int = MIN
    idle: bool = False
    other: bool = False
    due: bool = False
    caught_up: bool = False

    def add(self, step: Step) -> None:
        """What the step says."""
        self.caught_up = self.caught_up or (self.due and self.watermark != MIN and not self.behind())
        self.due = False
        if isinstance(step, ConfigureStep):
            if step.option == OPTION and step.milliseconds > 0 and not self.started:
                self.threshold = step.milliseconds
            return
        self.started = self.started or not isinstance(step, Snapshot)
        if isinstance(step, ClockStep):
            self.now = step.now
        elif isinstance(step, WatermarkStep) and step.timestamp not in ("MIN", "MAX"):
            self.watermark = from_wire(step.timestamp)
            self.due = not self.idle
        elif isinstance(step, IdleStep | ActiveStep):
            self.due = self.idle and isinstance(step, ActiveStep)
            self.idle = isinstance(step, IdleStep)
        elif isinstance(step, OtherStep):
            self.other = step.backlog

    def behind(self) -> bool:
        """Whether the subtask is active and its lag is greater than the threshold."""
        return not self.idle and self.watermark != MIN and self.now - self.watermark > self.threshold


def _flags_with_facts(scenario: Scenario, transcript: Transcript) -> Iterator[tuple[bool, _Facts]]:
    """Each flag that a detector sent, with the facts at that step."""
    facts = _Facts()
    if not isinstance(scenario.setup, DetectorSetup) or goes_back(scenario):
        return
    for step, outputs in zip(scenario.history, transcript.outputs, strict=False):
        facts.add(step)
        for flag in _flags(outputs):
            yield flag, facts


def _claims(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    arose = None
    for flag, facts in _flags_with_facts(scenarios[0], transcripts[0]):
        arose = True
        if flag and not (facts.other or facts.behind()):
            return False
        if not flag and (facts.other or (facts.due and facts.behind() and not facts.caught_up)):
            return False
    return arose


def _caught_up(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    arose = None
    for flag, facts in _flags_with_facts(scenarios[0], transcripts[0]):
        if facts.caught_up:
            arose = True
            if flag and not facts.other:
                return False
    return arose


def _alternates(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    flags = _all_flags(transcripts[0])
    if goes_back(scenarios[0]) or not flags:
        return None
    return all(flag == (flags[0] if index % 2 == 0 else not flags[0]) for index, flag in enumerate(flags))


def _not_by_time(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    times = [
        outputs
        for step, outputs in zip(scenarios[0].history, transcripts[0].outputs, strict=False)
        if isinstance(step, ClockStep)
    ]
    return not any(times) if times else None


def _unconfigured(scenario: Scenario) -> list[Scenario]:
    """The history in a job that sets no option."""
    history = tuple(step for step in scenario.history if not isinstance(step, ConfigureStep))
    return [replace(scenario, history=history, groups=())] if history else []


def _off_means_off(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    """Without an option attributes come from other strategies alone."""
    if not isinstance(scenarios[0].setup, DetectorSetup) or len(scenarios) == 1:
        return None
    return not any(
        _flags(outputs)
        for step, outputs in zip(scenarios[1].history, transcripts[1].outputs, strict=False)
        if not isinstance(step, OtherStep)
    )


def _combined(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    """True needs one true channel, false all that are awaited: the channels' words are facts."""
    scenario, transcript = scenarios[0], transcripts[0]
    if not isinstance(scenario.setup, CombinerSetup) or goes_back(scenario):
        return None
    awaited = set(range(scenario.setup.channels)) - set(scenario.setup.without_strategy)
    said: dict[int, bool] = {}
    arose = None
    for step, outputs in zip(scenario.history, transcript.outputs, strict=False):
        if isinstance(step, AttributesStep):
            said[step.channel] = step.backlog
        claimed = any(said[channel] for channel in said if channel in range(scenario.setup.channels))
        for flag in _flags(outputs):
            arose = True
            if flag != claimed or not (flag or awaited <= said.keys()):
                return False
    return arose


def _reversed(scenario: Scenario) -> list[Scenario]:
    """The history with the channels numbered from the other end."""
    if not isinstance(scenario.setup, CombinerSetup):
        return []
    last = scenario.setup.channels - 1
    setup = CombinerSetup(last + 1, tuple(last - channel for channel in scenario.setup.without_strategy))
    history = tuple(
        replace(step, channel=last - step.channel) if isinstance(step, AttributesStep) else step
        for step in scenario.history
    )
    return [replace(scenario, setup=setup, history=history)]


def _channel_order(_: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    if len(transcripts) == 1 or not _all_flags(transcripts[0]):
        return None
    return transcripts[0].outputs == transcripts[1].outputs


def _snapshot_restore(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    return uninterrupted(scenarios, transcripts) if _all_flags(transcripts[0]) else None


def _with_a_twin(scenario: Scenario) -> list[Scenario]:
    """Channel 0 of a combiner twice; the others move up. Nothing else has a twin."""
    setup = scenario.setup
    if not isinstance(setup, CombinerSetup):
        return [scenario]
    parts = setup.channels
    silent = (*((0,) if 0 in setup.without_strategy else ()), *(one + 1 for one in setup.without_strategy))
    history = by_number(scenario.history, "channel", with_a_twin(parts), parts)
    return [replace(scenario, setup=CombinerSetup(parts + 1, silent), history=history, groups=())]


PROPERTIES = (
    Property(
        name="backlog-claims",
        sentence=(
            "The flag is true only if another strategy claims backlog or the active subtask lags by more "
            "than the threshold, and false only if neither holds or the subtask has caught up."
        ),
        rules=("BACKLOG-4", "BACKLOG-8"),
        holds=_claims,
        holds_under={},
        needs_steps=True,
        needs=(WATERMARK_LAG,),
    ),
    Property(
        name="backlog-caught-up",
        sentence="After the lag was found to be within the threshold, true needs another strategy.",
        rules=("BACKLOG-7",),
        holds=_caught_up,
        holds_under={"backlog_false_to_true": "after-idleness"},
        needs_steps=True,
        needs=(WATERMARK_LAG,),
    ),
    Property(
        name="backlog-alternates",
        sentence="The flags that are sent alternate between true and false.",
        rules=("BACKLOG-9",),
        holds=_alternates,
        holds_under={},
    ),
    Property(
        name="backlog-not-by-time",
        sentence="Nothing is sent because time passes.",
        rules=("BACKLOG-5",),
        holds=_not_by_time,
        holds_under={},
        needs_steps=True,
        needs=(WATERMARK_LAG,),
    ),
    Property(
        name="backlog-off-means-off",
        sentence="In a job that does not set the option, a flag is sent only on a claim of another strategy.",
        rules=("BACKLOG-3",),
        holds=_off_means_off,
        holds_under={},
        variants=_unconfigured,
        needs_steps=True,
        needs=(WATERMARK_LAG,),
    ),
    Property(
        name="backlog-combined",
        sentence="A combined true requires one channel in backlog, a combined false attributes of every "
        "channel with a strategy.",
        rules=("BACKLOG-10", "BACKLOG-8"),
        holds=_combined,
        holds_under={"backlog_channels_without_strategy": "not-awaited"},
        needs_steps=True,
    ),
    Property(
        name="backlog-channel-order",
        sentence="Numbering the channels from the other end changes nothing.",
        rules=("BACKLOG-10",),
        holds=_channel_order,
        holds_under={},
        variants=_reversed,
    ),
    Property(
        name="backlog-equal-channels",
        sentence="A second channel that sends all that the first one sends changes nothing.",
        rules=("BACKLOG-8", "BACKLOG-10"),
        holds=as_with_one,
        holds_under={},
        variants=_with_a_twin,
    ),
    Property(
        name="backlog-snapshot-restore",
        sentence="A snapshot and a restore before every step change nothing.",
        rules=("BACKLOG-11",),
        holds=_snapshot_restore,
        holds_under={},
        variants=with_restores,
        needs=("snapshot",),
    ),
)
