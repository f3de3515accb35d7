"""What must be true of idleness, whatever the generator does; no reference is asked.

The time for which an input was polled is added up here from the steps alone.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from ...wire.scenario import Scenario
from ...wire.steps.clock import AdvanceStep, PauseStep, Reason, ResumeStep
from ...wire.steps.idleness import IdlenessSetup, RecordStep, TickStep
from ...wire.transcript import Transcript
from ...wire.vocabulary import AnyOutput, Idle, Watermark
from ..property import Holds, Property
from ..shared.properties import (
    accepted,
    goes_back,
    no_watermark_while_idle,
    status_alternates,
    uninterrupted,
    with_restores,
)

_HIDDEN = {"clock_busy_downstream": "hidden"}


@dataclass(frozen=True)
class _Probe:
    """A tick: the time for which the input was polled since its last record (or the start), in ns; the
    longest such time between two probes since then; whether IDLE is out since then."""

    quiet: int
    period: int
    was_idle: bool
    outputs: tuple[AnyOutput, ...]

    @property
    def says_idle(self) -> bool:
        return any(isinstance(output, Idle) for output in self.outputs)


def _probes(scenario: Scenario, transcript: Transcript) -> Iterator[_Probe]:
    polled = record = probe = pauses = period = 0
    idle = False
    for step, outputs in accepted(scenario, transcript):
        if isinstance(step, AdvanceStep):
            polled += step.nanoseconds if pauses == 0 else 0
        elif isinstance(step, PauseStep | ResumeStep) and step.reason != "no-data":
            pauses += 1 if isinstance(step, PauseStep) else -1
        elif isinstance(step, RecordStep):
            record = probe = polled
            period, idle = 0, False
        elif isinstance(step, TickStep):
            period, probe = max(period, polled - probe), polled
            found = _Probe(polled - record, period, idle, outputs)
            idle = idle or found.says_idle
            yield found


def _timeout(scenario: Scenario) -> int:
    assert isinstance(scenario.setup, IdlenessSetup)
    return scenario.setup.timeout


def _not_early(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    if goes_back(scenarios[0]):
        return None
    probes = [probe for probe in _probes(scenarios[0], transcripts[0]) if probe.says_idle]
    return all(probe.quiet > _timeout(scenarios[0]) for probe in probes) if probes else None


def _probed_regularly(scenario: Scenario) -> list[Scenario]:
    """The history, the end of all pauses but those without data, and probes at regular times until IDLE is
    due; the same with a record before the probes."""
    pauses: Counter[Reason] = Counter()
    for step in scenario.history:
        if isinstance(step, PauseStep) and step.reason != "no-data":
            pauses[step.reason] += 1
        elif isinstance(step, ResumeStep):
            pauses[step.reason] = max(0, pauses[step.reason] - 1)
    ends = (ResumeStep(reason) for reason in pauses.elements())
    resumed = (*scenario.history, *ends)
    probes = (AdvanceStep(_timeout(scenario)), TickStep()) * 8
    histories = ((*resumed, *probes), (*resumed, RecordStep(0), *probes))
    return [replace(scenario, history=history, groups=()) for history in histories]


def _in_time(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    if goes_back(scenarios[0]):
        return None
    timeout = _timeout(scenarios[0])
    probes = [
        probe
        for scenario, transcript in zip(scenarios, transcripts, strict=True)
        for probe in _probes(scenario, transcript)
        if probe.quiet >= timeout + 3 * probe.period
    ]
    return all(probe.was_idle or probe.says_idle for probe in probes) if probes else None


def _status_alternates(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    return status_alternates(scenarios, transcripts) and no_watermark_while_idle(scenarios, transcripts)


def _measured_by_users(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    setup = scenarios[0].setup
    assert isinstance(setup, IdlenessSetup)
    if setup.generator != "after-silence" or goes_back(scenarios[0]):
        return None
    silences = [
        probe.quiet
        for probe in _probes(scenarios[0], transcripts[0])
        if any(isinstance(output, Watermark) for output in probe.outputs)
    ]
    return all(silence > setup.max_out_of_orderness * 10**6 for silence in silences) if silences else None


PROPERTIES = (
    Property(
        name="idleness-not-early",
        sentence="IDLE is output later than the timeout after the last record, blocked time excluded.",
        rules=("IDLE-1", "IDLE-3"),
        holds=_not_early,
        holds_under=_HIDDEN,
        needs_steps=True,
    ),
    Property(
        name="idleness-in-time",
        sentence="IDLE is output within the timeout plus three times the longest time between two probes "
        "after the last record, blocked time excluded.",
        rules=("IDLE-1", "IDLE-2"),
        holds=_in_time,
        holds_under={**_HIDDEN, "idleness_reading_zero": "starts"},
        variants=_probed_regularly,
        needs_steps=True,
    ),
    Property(
        name="idleness-status-alternates",
        sentence="IDLE and ACTIVE alternate, IDLE first, and between them no watermark is output.",
        rules=("IDLE-5", "IDLE-4"),
        holds=_status_alternates,
        holds_under={"idleness_ends_with": "record"},
    ),
    Property(
        name="idleness-measured-by-users",
        sentence="A user's generator that waits for a silence leaves blocked time out.",
        rules=("IDLE-6",),
        holds=_measured_by_users,
        holds_under=_HIDDEN,
        needs_steps=True,
    ),
    Property(
        name="idleness-snapshot-restore",
        sentence="A snapshot and a restore before every step change nothing.",
        rules=("IDLE-7",),
        holds=uninterrupted,
        holds_under={},
        variants=with_restores,
        needs=("snapshot",),
    ),
)
