"""What must be true of all source coordinators, whatever else they do; no reference is asked."""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from ...wire.scenario import Scenario
from ...wire.steps.coordinator import (
    AnnounceStep,
    CoordinatorSetup,
    FinishStep,
    ReportStep,
    StartedSource,
    StartStep,
)
from ...wire.timestamps import MAX, from_wire, to_wire
from ...wire.transcript import Outputs, Transcript, same_outputs
from ...wire.vocabulary import Announcement, AnyOutput, Error, Step
from ..property import Holds, Property
from ..shared.properties import (
    SHIFT_MS,
    goes_back,
    outputs_moved,
    outputs_of,
    shifted,
    uninterrupted,
    with_restores,
)
from ..shared.twins import as_renamed, renamed


def _started(scenario: Scenario) -> tuple[StartedSource, ...]:
    assert isinstance(scenario.setup, CoordinatorSetup)
    return scenario.setup.sources


class _Group:
    """What has been said so far, with everything that was not refused taken at its word."""

    def __init__(self, started: Iterable[StartedSource]) -> None:
        self.sources: dict[str, StartedSource | StartStep] = {one.source: one for one in started}
        self.reports: dict[tuple[str, int], int] = {}

    def said(self, step: Step, outputs: Outputs) -> None:
        """A step, and what came out of it."""
        if any(isinstance(output, Error) for output in outputs):
            return
        if isinstance(step, StartStep):
            self.sources.setdefault(step.source, step)
        elif isinstance(step, FinishStep):
            self.reports[step.source, step.subtask] = MAX
        elif isinstance(step, ReportStep) and step.watermark != "MIN":
            self.reports[step.source, step.subtask] = from_wire(step.watermark)

    def within_drift(self, output: AnyOutput) -> Holds:
        """Whether an announcement exceeds the smallest last report of its group by no more than the drift."""
        if not isinstance(output, Announcement):
            return None
        told = self.sources.get(output.to.rpartition("/")[0])
        if told is None:
            return None
        group = [
            watermark
            for (source, _), watermark in self.reports.items()
            if source in self.sources and self.sources[source].watermark_group == told.watermark_group
        ]
        smallest = min(group, default=MAX)
        return from_wire(output.bound) <= min(smallest + told.max_allowed_watermark_drift, MAX)


def _bound_within_drift(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    if goes_back(scenarios[0]):
        return None
    group = _Group(_started(scenarios[0]))
    arose = None
    for step, outputs in zip(scenarios[0].history, transcripts[0].outputs, strict=False):
        group.said(step, outputs)
        for output in outputs:
            holds = group.within_drift(output)
            arose = arose or holds
            if holds is False:
                return False
    return arose


def _one_announcement(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    arose = None
    for step, outputs in zip(scenarios[0].history, transcripts[0].outputs, strict=False):
        told = [output.to for output in outputs if isinstance(output, Announcement)]
        if not told:
            continue
        arose = True
        own = isinstance(step, AnnounceStep) and all(to.rpartition("/")[0] == step.source for to in told)
        if not own or len(set(told)) < len(told):
            return False
    return arose


def _strangers(scenario: Scenario) -> set[str]:
    """The sources outside the group of the first source that is started; none where somebody tries to start
    one source in two groups, which leaves open where it belongs."""
    later = (step for step in scenario.history if isinstance(step, StartStep))
    starts: list[StartedSource | StartStep] = [*_started(scenario), *later]
    groups: dict[str, set[str | None]] = {}
    for start in starts:
        groups.setdefault(start.source, set()).add(start.watermark_group)
    if any(len(known) > 1 for known in groups.values()):
        return set()
    return {source for source, known in groups.items() if starts[0].watermark_group not in known}


def _kept(scenario: Scenario) -> list[int]:
    strangers = _strangers(scenario)
    return [
        place for place, step in enumerate(scenario.history) if getattr(step, "source", None) not in strangers
    ]


def _without_strangers(scenario: Scenario) -> list[Scenario]:
    """The first source's group alone."""
    kept, strangers = _kept(scenario), _strangers(scenario)
    if goes_back(scenario) or not strangers or not kept:
        return [scenario]
    own = tuple(source for source in _started(scenario) if source.source not in strangers)
    alone = replace(scenario, history=tuple(scenario.history[place] for place in kept), groups=())
    return [replace(alone, setup=CoordinatorSetup(own))]


def _groups_isolated(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    original, alone = transcripts
    if scenarios[0].history == scenarios[1].history or not any(alone.outputs):
        return None
    in_company = [original.outputs[place] for place in _kept(scenarios[0])]
    return len(alone.outputs) == len(in_company) and all(map(same_outputs, alone.outputs, in_company))


def _shift(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    if any(isinstance(step, ReportStep) and step.watermark == "MIN" for step in scenarios[0].history):
        return None
    announced = [output for output in outputs_of(transcripts[0]) if isinstance(output, Announcement)]
    if all(output.bound == "MAX" for output in announced):
        return None
    return outputs_moved(transcripts, _output_moved)


def _output_moved(output: AnyOutput) -> AnyOutput:
    if isinstance(output, Announcement) and output.bound != "MAX":
        return replace(output, bound=to_wire(from_wire(output.bound) + SHIFT_MS))
    return output


_IDENTITIES = ("source",)

PROPERTIES = (
    Property(
        name="coordinator-bound-within-drift",
        sentence="No bound exceeds the smallest last report in the group by more than the drift.",
        rules=("ALIGN-1", "ALIGN-2", "ALIGN-4", "ALIGN-8", "ALIGN-11", "ALIGN-12"),
        holds=_bound_within_drift,
        holds_under={
            "align_failed_subtask": "stays",
            "align_group_update": "each-report",
            "align_restarted_coordinator": "keeps-reports",
            "align_source_key": "identity",
        },
        needs_steps=True,
    ),
    Property(
        name="coordinator-one-announcement",
        sentence="In an update interval each subtask of the source gets at most one announcement, and "
        "subtasks of other sources get none.",
        rules=("ALIGN-9",),
        holds=_one_announcement,
        holds_under={},
        needs_steps=True,
    ),
    Property(
        name="coordinator-groups-isolated",
        sentence="Without the sources of other groups a group gets the same announcements.",
        rules=("ALIGN-3",),
        holds=_groups_isolated,
        holds_under={},
        variants=_without_strangers,
        needs_steps=True,
    ),
    Property(
        name="coordinator-shift",
        sentence="Moving all watermarks by the same time moves all bounds by that time.",
        rules=("ALIGN-4",),
        holds=_shift,
        holds_under={},
        variants=shifted,
    ),
    Property(
        name="coordinator-renamed",
        sentence="With other identities of sources, in another order, the same bounds are announced.",
        rules=("ALIGN-2", "ALIGN-9"),
        holds=as_renamed(_IDENTITIES),
        holds_under={},
        variants=renamed(_IDENTITIES),
    ),
    Property(
        name="coordinator-snapshot-restore",
        sentence="A snapshot and a restore before every step change nothing.",
        rules=("ALIGN-11",),
        holds=uninterrupted,
        holds_under={},
        variants=with_restores,
        needs=("snapshot",),
    ),
)
