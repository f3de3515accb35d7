"""One test item's work: scenarios through the engine, judged, re-run where they fail, and shrunk."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from msgspec import Struct, field
from msgspec.structs import replace

from tidegauge_reference import Policies

from ..adapter import Adapter, Implementation
from ..components.job.jobs import JOBS, control
from ..property import Property
from ..results import JobPicture
from ..runner import run
from ..scenario import Scenario
from ..transcript import Outputs, Transcript
from .blame import Spectrum
from .explanation import explaining_rules
from .jobs import examine_job
from .judge import Judgement, judge
from .oracle import Expectation, expect
from .shrinker import shrink

_FAILURES_KEPT = 4
_REPETITIONS = 2


class FoundFailure(Struct):
    """A failing scenario, shrunk, with what came out of it.

    `cited` are the decisions up to its divergence, `explaining` the rules whose breach would reproduce what
    came out. Of a job: `seen` says what was seen instead of what the property demands.
    """

    scenario: Scenario
    transcript: Transcript | None
    found_as: str
    cited: list[str]
    explaining: list[str] = []
    deterministic: bool = True
    property: str | None = None
    seen: str = ""


class Counted(Struct):
    """In how many scenarios and steps a rule decided, in parts that agree."""

    scenarios: int = 0
    steps: int = 0


class PropertyCount(Struct):
    """Scenarios in which a property's situation arose, those that violate it, and jobs that have it even
    without alignment, so that they show nothing."""

    checked: int = 0
    violated: int = 0
    vacuous: int = 0


class ItemReport(Struct):
    """What a test item found; items of a run are merged by `results`."""

    item: str
    component: str
    scenarios: int = 0
    steps: int = 0
    outputs: int = 0
    failing: int = 0
    rules: dict[str, Counted] = {}
    spectrum: Spectrum = field(default_factory=Spectrum)
    properties: dict[str, PropertyCount] = {}
    failures: list[FoundFailure] = []
    pictures: list[JobPicture] = []


class Examiner:
    """Judges one engine under one profile's policies.

    `about_to_run` is told each scenario's id before it runs; `shrink_seconds` caps the shrinking of one
    failure. `rules`: judge only scenarios in which one of these decides (empty: all).
    """

    def __init__(
        self,
        adapter: Adapter,
        implementation: Implementation,
        policies: Policies,
        *,
        rules: frozenset[str] = frozenset(),
        about_to_run: Callable[[str], None] = lambda scenario: None,
        shrink_seconds: float = 5.0,
    ) -> None:
        self.adapter = adapter
        self.implementation = implementation
        self.policies = policies
        self.rules = rules
        self.about_to_run = about_to_run
        self.shrink_seconds = shrink_seconds

    def applicable(self, scenarios: Iterable[Scenario]) -> list[Scenario]:
        """Those whose needs the engine claims and in which a rule that is asked for decides."""
        claimed = set(self.implementation.capabilities)
        kept = [scenario for scenario in scenarios if set(scenario.needs) <= claimed]
        if not self.rules:
            return kept
        return [scenario for scenario in kept if self.rules & _rules(expect(scenario, self.policies))]

    def judged(
        self, scenarios: Sequence[Scenario], published: Mapping[str, list[Outputs]] | None = None
    ) -> list[tuple[Judgement, Transcript | None]]:
        """Run scenarios and compare each with its published outputs, or else with the reference."""
        transcripts = run(self.adapter, scenarios, self.about_to_run)
        answers = []
        for scenario, transcript in zip(scenarios, transcripts, strict=True):
            expectation = expect(scenario, self.policies)
            if published is not None:
                expectation = Expectation(published[scenario.id], expectation.cited)
            observes = self.implementation.observes
            answers.append((judge(scenario, transcript, expectation, observes), transcript))
        return answers

    def compare(
        self,
        report: ItemReport,
        scenarios: Sequence[Scenario],
        published: Mapping[str, list[Outputs]] | None = None,
    ) -> None:
        """Judge scenarios, counting into `report` and shrinking what fails."""
        failing: list[tuple[Scenario, Judgement]] = []
        answers = self.judged(scenarios, published)
        for scenario, (judgement, transcript) in zip(scenarios, answers, strict=True):
            count(report, scenario, judgement, transcript)
            if judgement.diverges_at is not None:
                failing.append((scenario, judgement))
        for scenario, judgement in _most_telling(failing):
            report.failures.append(self.shrunk(scenario, judgement))

    def shrunk(self, scenario: Scenario, first: Judgement) -> FoundFailure:
        """The failure of `scenario` made small; one whose answer changes when repeated stays as it is."""
        repeated = [self.judged([scenario])[0][0] for _ in range(_REPETITIONS)]
        if any(again.got != first.got or again.diverges_at != first.diverges_at for again in repeated):
            transcript = run(self.adapter, [scenario])[0]
            return FoundFailure(scenario, transcript, scenario.id, sorted(first.cited), deterministic=False)
        smallest = shrink(scenario, self._last_steps, self.shrink_seconds)
        return self._found(smallest, scenario.id)

    def _found(self, scenario: Scenario, found_as: str, property: str | None = None) -> FoundFailure:
        judgement, transcript = self.judged([scenario])[0]
        explaining: list[str] = []
        if transcript is not None:
            observes = self.implementation.observes
            explaining = explaining_rules(scenario, transcript, judgement.cited, self.policies, observes)
        return FoundFailure(
            scenario, transcript, found_as, sorted(judgement.cited), explaining, property=property
        )

    def _last_steps(self, scenarios: Sequence[Scenario]) -> list[int | None]:
        return [
            None if judgement.diverges_at is None else judgement.last_step
            for judgement, _ in self.judged(scenarios)
        ]

    def check(self, report: ItemReport, property: Property, scenarios: Sequence[Scenario]) -> None:
        """Check a property on scenarios and their variants, shrinking the first that violates it."""
        counted = report.properties.setdefault(property.name, PropertyCount())
        violating = []
        for scenario, holds in zip(scenarios, self._holds(property, scenarios), strict=True):
            counted.checked += holds is not None
            counted.violated += holds is False
            report.scenarios += 1
            report.steps += len(scenario.history)
            if holds is False:
                violating.append(scenario)
        report.failing += len(violating)
        if violating:
            first = min(violating, key=lambda scenario: len(scenario.history))
            smallest = shrink(first, partial(self._violated_at, property), self.shrink_seconds)
            family = _family(property, smallest)
            wrong = (member for member in family if self._last_steps([member])[0] is not None)
            report.failures.append(self._found(next(wrong, family[0]), first.id, property.name))

    def examine_job(self, report: ItemReport, name: str) -> None:
        """Run a job of the suite and its control, and check what their event logs show."""
        scenario = JOBS[name]
        scenarios = [scenario, control(scenario)]
        answers = run(self.adapter, scenarios, self.about_to_run)
        transcripts = {one.id: answer for one, answer in zip(scenarios, answers, strict=True)}
        findings, pictures = examine_job(scenario, transcripts, self.implementation)
        report.scenarios += len(scenarios)
        report.steps += len(scenarios)
        report.pictures += pictures
        for answer in answers:
            report.outputs += sum(map(len, answer.outputs)) if answer is not None else 0
        for finding in findings:
            counted = report.properties.setdefault(finding.property, PropertyCount())
            counted.checked += not finding.vacuous
            counted.vacuous += finding.vacuous
            counted.violated += finding.seen is not None
            if finding.seen is not None:
                report.failing += 1
                report.failures.append(
                    FoundFailure(
                        scenario,
                        None,
                        scenario.id,
                        list(finding.rules),
                        property=finding.property,
                        seen=finding.seen,
                    )
                )

    def _violated_at(self, property: Property, candidates: Sequence[Scenario]) -> list[int | None]:
        found = self._holds(property, candidates)
        return [
            len(candidate.history) - 1 if holds is False else None
            for candidate, holds in zip(candidates, found, strict=True)
        ]

    def _holds(self, property: Property, scenarios: Sequence[Scenario]) -> list[bool | None]:
        families = [_family(property, scenario) for scenario in scenarios]
        transcripts = iter(run(self.adapter, [m for family in families for m in family], self.about_to_run))
        found: list[bool | None] = []
        for family in families:
            answers = [next(transcripts) for _ in family]
            whole = [answer for answer in answers if answer is not None and answer.failure is None]
            found.append(property.holds(family, whole) if len(whole) == len(family) else None)
        return found


def _family(property: Property, scenario: Scenario) -> list[Scenario]:
    """The scenario and its variants, with ids of their own."""
    members = (scenario, *property.variants(scenario))
    return [replace(member, id=f"{scenario.id}~{number}") for number, member in enumerate(members)]


def _rules(expectation: Expectation) -> set[str]:
    return {decision.removesuffix("!") for step in expectation.cited for decision in step}


def count(
    report: ItemReport, scenario: Scenario, judgement: Judgement, transcript: Transcript | None
) -> None:
    """Count one judged scenario into `report`."""
    diverged = judgement.diverges_at is not None
    report.scenarios += 1
    report.steps += len(scenario.history)
    report.failing += diverged
    report.outputs += sum(map(len, transcript.outputs)) if transcript is not None else 0
    report.spectrum.add(diverged, judgement.cited)
    for rule, steps in judgement.shown.items():
        counted = report.rules.setdefault(rule, Counted())
        counted.scenarios += 1
        counted.steps += steps


def _most_telling(failing: list[tuple[Scenario, Judgement]]) -> list[tuple[Scenario, Judgement]]:
    """A few failing scenarios, the earliest divergences first, that differ in the decisions made."""
    chosen: dict[frozenset[str], tuple[Scenario, Judgement]] = {}
    for scenario, judgement in sorted(failing, key=lambda entry: (entry[1].last_step, entry[0].id)):
        chosen.setdefault(judgement.cited, (scenario, judgement))
        if len(chosen) == _FAILURES_KEPT:
            break
    return list(chosen.values())
