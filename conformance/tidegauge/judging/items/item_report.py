"""What one test item found, as data, and how it is counted."""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import Struct, field

from ...wire.growth import Growth
from ...wire.results import JobPicture
from ...wire.scenario import Scenario
from ...wire.transcript import ErrorKind, Failure, Transcript
from ...wire.world import World, world_of
from .blame import Spectrum
from .judge import Judgement
from .places import Places

_VARYING = re.compile(r"'[^']*'|\"[^\"]*\"|-?\w*\d\w*")
"""What a message quotes, and words with numbers in them."""


class FoundFailure(Struct):
    """A failing scenario, shrunk, with the transcript of the engine.

    `cited` are the decisions up to the divergence. For a job, `seen` describes the observation that violates
    the property.
    """

    scenario: Scenario
    transcript: Transcript | None
    found_as: str
    cited: list[str]
    deterministic: bool = True
    property: str | None = None
    seen: str = ""


class Counted(Struct):
    """The number of scenarios and steps in which a rule decided while the engine agreed, and the largest
    world of the scenarios that agree to the end."""

    scenarios: int = 0
    steps: int = 0
    world: World = field(default_factory=World)


class PropertyCount(Struct):
    """Scenarios in which a property's situation arose, those that violate it, jobs that have it even without
    alignment, so that they show nothing, scenarios in which an engine that deviates as known violates it or
    has no such situation. `inexpressible`: it arose nowhere but in what the adapter does not
    express; `outside`: it never arises within the declared shape. Of pairs
    of scenarios on two instances: those in which an instance alone does not repeat itself (`unsteady`), and
    that the engine cannot be stepped at all."""

    checked: int = 0
    violated: int = 0
    vacuous: int = 0
    known: int = 0
    inexpressible: bool = False
    outside: bool = False
    unsteady: int = 0
    without_sessions: bool = False


class LeftOut(Struct):
    """Scenarios that were not put to the engine.

    Attributes:
        reasons: the number of scenarios that the adapter does not express, or that are more than the engine
            can do in the time, for each reason.
        rules: the number of the inexpressible scenarios in which each rule decides.
        hidden: the first reason why a scenario in which a rule decides is inexpressible, for each rule.
        outside: the first feature that the declared shape lacks, or that no runtime sends, in a scenario in
            which a rule decides, for each rule.
    """

    reasons: dict[str, int] = {}
    rules: dict[str, int] = {}
    hidden: dict[str, str] = {}
    outside: dict[str, str] = {}


class DeviationCount(Struct):
    """In how many scenarios a known deviation showed, and in how many the engine was right instead."""

    shown: int = 0
    absent: int = 0


class ErrorCount(Struct):
    """Scenarios in which an engine gave no answer in the same way: how many, the first of them, what was
    raised there, in how many of them each rule decides where no answer came (`rules`), and in how many it
    decides only after that (`unreached`)."""

    kind: ErrorKind
    text: str
    scenario: str
    traceback: str = ""
    scenarios: int = 0
    rules: dict[str, int] = {}
    unreached: dict[str, int] = {}


class SeenDifference(Struct):
    """A scenario in which the engine differs, with its transcript; `at` is the first observed span that
    does."""

    scenario: Scenario
    transcript: Transcript
    at: int


class SeenViolation(Struct):
    """A property that scenarios violate, with the transcripts that show it."""

    property: str
    family: list[Scenario]
    transcripts: list[Transcript]


class SeenInterference(Struct):
    """Two scenarios, and what two instances did with them: each alone, and both together, that is
    `alternately` or one after the other. `steady`: alone each did the same again."""

    scenarios: tuple[Scenario, Scenario]
    alone: tuple[Transcript, Transcript]
    together: tuple[Transcript, Transcript]
    alternately: bool = True
    steady: bool = True


class ItemReport(Struct):
    """What a test item found; items of a run are summed up by `merged`.

    `ran` are the places of the scenarios that were compared, among those that the item draws, `apart` of
    these the ones in which the engine differs or gives no answer; `beyond` were not compared, since they need
    what the engine does not claim or lie outside of its declared shape, `hidden` since the adapter does not
    express them. `differences` and `violations` are a few of the failing scenarios, of each kind of
    difference some. `interference`: two instances that were stepped
    alternately, of which one did not do what it does alone. `growth`: of the state, in long scenarios.
    `errors`: by what was raised. `refused`: the engine gave no answer in the preflight, so that nothing was
    run."""

    item: str
    component: str
    scenarios: int = 0
    steps: int = 0
    outputs: int = 0
    failing: int = 0
    unanswered: int = 0
    refused: bool = False
    ran: Places = field(default_factory=Places)
    apart: Places = field(default_factory=Places)
    beyond: Places = field(default_factory=Places)
    hidden: Places = field(default_factory=Places)
    differences: list[SeenDifference] = []
    violations: list[SeenViolation] = []
    interference: SeenInterference | None = None
    growth: list[Growth] = []
    errors: dict[str, ErrorCount] = {}
    rules: dict[str, Counted] = {}
    spectrum: Spectrum = field(default_factory=Spectrum)
    properties: dict[str, PropertyCount] = {}
    deviations: dict[str, DeviationCount] = {}
    left_out: LeftOut = field(default_factory=LeftOut)
    failures: list[FoundFailure] = []
    pictures: list[JobPicture] = []


def count(
    report: ItemReport, scenario: Scenario, judgement: Judgement, transcript: Transcript | None
) -> None:
    """Count one judged scenario into `report`; one without an answer is no comparison, and counts as that."""
    diverged = judgement.diverges_at is not None
    report.scenarios += 1
    report.steps += len(scenario.history)
    report.failing += diverged
    report.outputs += sum(map(len, transcript.outputs)) if transcript is not None else 0
    if judgement.unanswered is not None:
        report.unanswered += 1
        count_error(report, scenario, judgement.unanswered, judgement.deciding, judgement.unreached)
        return
    report.spectrum.add(diverged, judgement.cited)
    world = world_of(scenario) if judgement.agrees else None
    for rule, steps in judgement.shown.items():
        counted = report.rules.get(rule) or report.rules.setdefault(rule, Counted())
        counted.scenarios += 1
        counted.steps += steps
        if world is not None and (world.parts or world.digits or world.steps > counted.world.steps):
            counted.world.merge(world)


def count_error(
    report: ItemReport,
    scenario: Scenario,
    failure: Failure,
    deciding: Iterable[str],
    unreached: Iterable[str] = (),
) -> None:
    """Count a scenario in which no answer came, with the rules that decide there and only after that. What
    was raised is kept once for each kind of exception; texts that differ only in a number or a quotation are
    of one kind."""
    key = f"{failure.kind} {_VARYING.sub('_', failure.text.partition(':')[0])}"
    counted = report.errors.get(key)
    if counted is None:
        counted = ErrorCount(failure.kind, failure.text, scenario.id, failure.traceback)
        report.errors[key] = counted
    counted.scenarios += 1
    for counts, rules in ((counted.rules, deciding), (counted.unreached, unreached)):
        for rule in sorted(rules):
            counts[rule] = counts.get(rule, 0) + 1


def keep_difference(
    report: ItemReport, scenario: Scenario, judgement: Judgement, transcript: Transcript | None
) -> None:
    """Keep a scenario that differs, with what came out."""
    if transcript is not None and judgement.diverges_at is not None:
        report.differences.append(SeenDifference(scenario, transcript, judgement.diverges_at))
