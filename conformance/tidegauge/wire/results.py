"""`results.json`: the only record of a run. Reports read nothing else, so the rules' texts are in it."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from tidegauge_spec import FIRST_VERSION

from .growth import Growth
from .implementation import Implementation
from .input_file import read_input
from .own_profile import OwnProfile
from .scenario import UNREADABLE, BadInput
from .transcript import ErrorKind
from .world import World

SCHEMA = "tidegauge-results/3"

_READ = (SCHEMA, "tidegauge-results/2")
"""The schemas that this version reads. Results in the older schema contain no suspects."""

FILE_NAME = "results.json"

Verdict = Literal["pass", "fail", "suspect", "error", "not-tested", "not-applicable"]
VERDICTS: tuple[Verdict, ...] = ("pass", "fail", "suspect", "error", "not-tested", "not-applicable")

ACCUSED = ("fail", "suspect")
"""The verdicts on accused rules: the rule is broken, or one of several suspects is."""

KNOWN_DEVIATIONS = "known_deviations"
"""The name under which `counts` counts failing rules that are known deviations, apart from the others."""

TermKind = Literal["policy", "mutant", "small-change"]

DeviationStatus = Literal["as-known", "unexpected-pass", "stale", "not-tried"]


class StepRecord(Struct, frozen=True):
    """One step of a counterexample, with the outputs as the reports show them. `expected` and `got` are
    wire outputs; `got` is None where the engine gave no answer; at the end of an observed span that is
    longer than one step they hold the outputs of the whole span, and are None at its other steps."""

    step: dict[str, Any]
    expected: list[dict[str, Any]] | None
    got: list[dict[str, Any]] | None


class Counterexample(Struct, frozen=True, kw_only=True):
    """The smallest history found that breaks a rule.

    `scenario` is the wire form; `found_as` the id of the scenario that was shrunk; `diverges_at` the
    index of the first step where expected and got differ; `expected` and `got` say so in words; `property`
    names the property that failed, if it was one. `file` (relative to the results) can be replayed.
    `depends_on_earlier`: in a fresh process the engine agrees, so that the difference depends on what ran
    before. `hints` are sentences of the adapter that explain the counterexample; they are also in `message`.
    """

    scenario: dict[str, Any]
    found_as: str
    diverges_at: int
    steps: list[StepRecord]
    expected: str
    got: str
    message: str
    replay: str
    file: str
    deterministic: bool = True
    property: str | None = None
    depends_on_earlier: bool = False
    hints: list[str] = []


class Suspect(Struct, frozen=True):
    """A rule that may be broken, with its plausibility from 0 to 1."""

    rule: str
    score: float


class RuleResult(Struct, frozen=True, kw_only=True):
    """The verdict on one rule, with all that a reader needs to understand it.

    `scenarios` and `steps` count where the rule decided in parts that agree with the specification. `policy`
    says where the profile changes the sentence. `deviation`: the rule fails as a known deviation of the
    engine, which is counted apart. `flaky` says why a changing answer is not held against the engine: a rule
    that fails, or one of its suspects, is known to be flaky.
    `suspects`: the rules of which at least one is broken, the most plausible first; they share one
    counterexample. `suspected`: the rule fails without a proof, because it is by far the most plausible cause
    of differences that no known defect explains. `excludes` are the mutants of the rule that a pass excludes:
    the scenarios of the run would have detected each of them. `thin`: there are fewer than three of them.
    `world`: the largest world in which the rule decided and the engine agrees; a pass proves nothing beyond
    it. `not_excluded` are mutants that only scenarios of scale detect, which the run did not contain.
    `stands_in_the_way` is the id of the smallest unexplained scenario that keeps the rule from being
    tested. `affected_by` are failing rules of components that this one builds on: those are the root.
    `also_in` are other components in whose scenarios the rule was found broken, as they build on this one.
    `reference` are the lines of the reference that decide by the rule, `vectors` the published ones that show
    it. `since` is the version that added the rule. `by_adapter` says what the adapter does in place of the
    engine to keep the rule; it is empty if the engine keeps the rule itself.
    """

    id: str
    level: str
    component: str
    title: str
    sentence: str
    intent: str
    check: str
    sources: list[str]
    reference: list[str] = []
    vectors: list[str] = []
    verdict: Verdict
    reason: str
    layer: str
    policy: str | None
    scenarios: int
    steps: int
    excludes: list[str] = []
    not_excluded: list[str] = []
    thin: bool = False
    world: World = msgspec.field(default_factory=World)
    suspected: bool = False
    stands_in_the_way: str = ""
    suspects: list[Suspect] = []
    counterexample: Counterexample | None = None
    deviation: str | None = None
    flaky: str | None = None
    affected_by: list[str] = []
    also_in: list[str] = []
    since: str = FIRST_VERSION
    by_adapter: str = ""


class EngineError(Struct, frozen=True, kw_only=True):
    """How an engine gave no answer: `text` is what it raised ("ConnectionError: lost connection"), or in what
    other way it failed, in `scenarios` of the `of` that ran in the `component`. `scenario` is the first of
    them, `traceback` what the engine's own code printed there. `rules` are those that decide where no answer
    came."""

    component: str
    kind: ErrorKind
    text: str
    scenarios: int
    of: int
    scenario: str
    traceback: str = ""
    rules: list[str] = []


class Term(Struct, frozen=True, kw_only=True):
    """One part of the model that behaves as the engine: a policy value, a named mutant, or a small change of
    the reference (`kind`). `rules` are those that it breaks; `ties` are other terms that explain as much.
    `sentence` says what an engine with it does; `bugs` are known bugs that do the same, with `links` to them.
    `counterexample` is the smallest scenario found that the model explains, and not without this term."""

    name: str
    kind: TermKind
    rules: list[str]
    ties: list[str] = []
    sentence: str = ""
    bugs: list[str] = []
    links: list[str] = []
    counterexample: Counterexample | None = None


class ComponentResult(Struct, frozen=True, kw_only=True):
    """What a component's scenarios came to: how many ran, differ from the specification (`failing`) or were
    not answered (`errors`); of those failing that were kept (`examined`), how many the `model` explains.
    `suspects` are the likely causes of what it does not explain, `unexplained` is the id of the smallest such
    scenario. `gave_up`: the search for the model ended before it was through."""

    component: str
    scenarios: int
    failing: int
    errors: int
    examined: int = 0
    explained: int = 0
    model: list[Term] = []
    suspects: list[Suspect] = []
    unexplained: str = ""
    gave_up: bool = False


class DeviationResult(Struct, frozen=True, kw_only=True):
    """What became of a known deviation: `shown` in so many scenarios, `absent` in so many where the engine
    was right instead. Only `as-known` and `not-tried` let a run succeed."""

    name: str
    rules: list[str]
    reason: str
    link: str
    status: DeviationStatus
    explanation: str
    shown: int
    absent: int


class InstanceStep(Struct, frozen=True):
    """One step on one of two instances (0 or 1), with the outputs of that instance when it is `alone` and
    when it is `together` with the other one; None where it gave no answer."""

    instance: int
    step: dict[str, Any]
    alone: list[dict[str, Any]] | None
    together: list[dict[str, Any]] | None


class Interference(Struct, frozen=True, kw_only=True):
    """Two scenarios that show that instances of an engine share state.

    `scenarios` are the wire forms, one an instance; `steps` all of their steps in the order in which they are
    done, alternately or (`alternately` is false) one scenario after the other; `differs_at` is the index of
    the first step whose outputs are others than alone. `message` says so in words. `file` (relative to the
    results) can be replayed. `repeats`: it was seen again in a fresh process; None if that was not tried.
    """

    scenarios: list[dict[str, Any]]
    steps: list[InstanceStep]
    differs_at: int
    message: str
    replay: str
    file: str
    alternately: bool = True
    repeats: bool | None = None


class PropertyResult(Struct, frozen=True, kw_only=True):
    """What became of a property that needs no reference: `checked` scenarios in which its situation
    arose, `violated` of them. `flaky` says why a changing answer is not held against the engine, `deviation`
    with which known deviations it is violated. `interference`: what two instances of the engine did to one
    another, or seemed to. `growth`: what became of the state in long scenarios."""

    name: str
    component: str
    sentence: str
    rules: list[str]
    verdict: Verdict
    reason: str
    checked: int
    violated: int
    flaky: str | None = None
    deviation: str | None = None
    interference: Interference | None = None
    growth: list[Growth] = []


class SubtaskPicture(Struct, frozen=True):
    """How one subtask went on: `points` are [processing time, last event time] in ms, from time 0 on,
    `blocked` the spans of processing time in which it left readable records unread, as seen from outside.
    `group` is its watermark group, empty without alignment."""

    source: str
    subtask: int
    points: list[list[int]]
    blocked: list[list[int]]
    group: str = ""


class JobPicture(Struct, frozen=True, kw_only=True):
    """What a report draws of a job: its subtasks, and the allowed band of its (first) group: `band` are
    [processing time, smallest watermark of the unfinished], the band reaches `drift` (ms) above. `restarts`
    are processing times (ms). `jumps`: records of one subtask follow one another by more than the drift, so
    that nothing says how far apart subtasks may be.

    With windows behind the sources: `state` are [processing time (ms), records that the windows keep], the
    largest and the smallest of each span; `state_bound` is how many the drift and the overshoot allow, where
    that is checked; `late` are [processing time, event time] in ms of records that came too late for their
    windows, some of `late_records` in all."""

    job: str
    aligned: bool
    drift: int
    overshoot: int
    subtasks: list[SubtaskPicture]
    band: list[list[int]]
    restarts: list[int] = []
    state: list[list[int]] = []
    state_bound: int | None = None
    late: list[list[int]] = []
    late_records: int = 0
    jumps: bool = False


class ItemResult(Struct, frozen=True, kw_only=True):
    """One test item (component, suite, chunk): `judged`, `failed` (it found a difference), or why not."""

    id: str
    outcome: Literal["judged", "failed", "crashed", "timeout", "error", "not-run"]
    scenarios: int
    steps: int
    duration_s: float
    text: str = ""


class Results(Struct, frozen=True, kw_only=True):
    """A whole run. `jobs` are the pictures of the jobs that ran. `counts` is made by `counts_of` and has
    besides `scenarios`, `steps`, `failing_scenarios` and `error_scenarios`. `complete` is false if the run
    ended early. `own_profile` is the profile of the engine's author, if `profile` names none of the
    specification. `left_out`: how many scenarios were not put to the engine, by the reason. `exit_code` is
    what the command ended with."""

    schema: str
    tidegauge: str
    spec: str
    profile: str
    implementation: Implementation
    environment: dict[str, str]
    seed: int
    budget: str
    started: str
    duration_s: float
    complete: bool
    exit_code: int
    command: list[str]
    selection: dict[str, str]
    counts: dict[str, int]
    rules: list[RuleResult]
    properties: list[PropertyResult]
    items: list[ItemResult]
    jobs: list[JobPicture] = []
    deviations: list[DeviationResult] = []
    left_out: dict[str, int] = {}
    errors: list[EngineError] = []
    components: list[ComponentResult] = []
    own_profile: OwnProfile | None = None


def counts_of(rules: Iterable[RuleResult]) -> dict[str, int]:
    """How many rules got each verdict; a failing rule that is a known deviation is counted as that alone."""
    counts = dict.fromkeys((*VERDICTS, KNOWN_DEVIATIONS), 0)
    for rule in rules:
        counts[kind_of(rule)] += 1
    return counts


def kind_of(found: RuleResult | PropertyResult) -> str:
    """What a rule or property counts as: its verdict, or a known deviation; the names of `counts_of`."""
    return KNOWN_DEVIATIONS if found.verdict == "fail" and found.deviation is not None else found.verdict


def encode_results(results: Results) -> bytes:
    """The document, indented for people who open it."""
    return msgspec.json.format(msgspec.json.encode(results), indent=1) + b"\n"


def read_results(path: Path) -> Results:
    """Read the file of a results document. Raises `BadInput` if there is none, or if it cannot be shown."""
    try:
        document = read_input(path)
    except IsADirectoryError:
        raise BadInput(f"{path} is a folder; give the {FILE_NAME} in it") from None
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}; give the {FILE_NAME} of a run") from None
    return decode_results(document, str(path))


def decode_results(document: bytes, name: str) -> Results:
    """Read a results document. Raises `BadInput` if it is cut off, foreign or of another version."""
    if not document.strip():
        raise BadInput(f"{name} is empty, no results document; {_AGAIN}")
    try:
        document.decode("utf-8")  # msgspec raises different errors, depending on its release
        found = msgspec.json.decode(document)
    except UnicodeDecodeError:
        raise BadInput(
            f"{name} is not UTF-8, so no results document; give the {FILE_NAME} of a run"
        ) from None
    except UNREADABLE as error:
        raise BadInput(f"{name} is cut off or not JSON ({_cut(str(error))}); {_AGAIN}") from None
    schema = found.get("schema") if isinstance(found, dict) else None
    if schema not in _READ:
        raise BadInput(_other_schema(name, schema, found))
    try:
        return msgspec.json.decode(document, type=Results)
    except UNREADABLE as error:
        raise BadInput(f"{name} is no whole results document: {_cut(str(error))}; {_AGAIN}") from None


_AGAIN = "run again, or give the folder of its journal to `tidegauge report`"


def _other_schema(name: str, schema: object, document: Any) -> str:
    """What a document is that this version does not read, and what to do about it."""
    family, _, number = SCHEMA.rpartition("/")
    version = schema.removeprefix(f"{family}/") if isinstance(schema, str) else ""
    if schema == version or not (version.isascii() and version.isdigit()) or len(version) > 9:
        said = f" (its schema is {_cut(repr(schema))})" if schema is not None else ""
        return f"{name} is JSON, but no results document{said}; give the {FILE_NAME} of a run"
    if int(version) > int(number):
        return f"{name} is of schema {schema}, this Tidegauge reads {SCHEMA}: upgrade tidegauge"
    wrote = document.get("tidegauge")
    by = f" {_cut(wrote)}" if isinstance(wrote, str) else ""
    return (
        f"{name} is of schema {schema}, this Tidegauge reads {SCHEMA}: run again, or show it with the "
        f"Tidegauge{by} that wrote it"
    )


def _cut(text: str) -> str:
    """A foreign text, short and fit for a terminal."""
    visible = "".join(character if character.isprintable() else "?" for character in text[:121])
    return visible if len(visible) <= 120 else visible[:119] + "…"
