"""`results.json`: the only record of a run. Reports read nothing else, so the rules' texts are in it."""

from typing import Any, Literal

import msgspec
from msgspec import Struct

from tidegauge_spec import FIRST_VERSION

from .adapter import Implementation
from .scenario import BadInput

SCHEMA = "tidegauge-results/1"

Verdict = Literal["pass", "fail", "not-applicable", "not-judged", "not-run"]
VERDICTS: tuple[Verdict, ...] = ("pass", "fail", "not-applicable", "not-judged", "not-run")


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


class Suspect(Struct, frozen=True):
    """A rule that may be to blame, with its score (Ochiai, 0 to 1)."""

    rule: str
    score: float


class RuleResult(Struct, frozen=True, kw_only=True):
    """The verdict on one rule, with all that a reader needs to understand it.

    `scenarios` and `steps` count where the rule decided in parts that agree with the specification.
    `policy` says where the profile changes the sentence, `deviation` where a known deviation of the engine
    does, `flaky` why a changing answer is not held against it. `affected_by` are failing rules of components
    that this one builds on: those are the root. `also_in` are other components in whose scenarios the rule
    was found broken, as they build on this one. `reference` are the lines of the reference that
    decide by the rule, `vectors` the published ones that show it. `since` is the version that added the rule;
    one added after the suite, or hidden behind such a one, is not `scored`.
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
    suspects: list[Suspect] = []
    counterexample: Counterexample | None = None
    deviation: str | None = None
    flaky: str | None = None
    affected_by: list[str] = []
    also_in: list[str] = []
    since: str = FIRST_VERSION
    scored: bool = True


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


class PropertyResult(Struct, frozen=True, kw_only=True):
    """What became of a property that needs no reference: `checked` scenarios in which its situation
    arose, `violated` of them. One added after the suite is not `scored`; `flaky` says why a changing answer
    is not held against the engine."""

    name: str
    component: str
    sentence: str
    rules: list[str]
    verdict: Verdict
    reason: str
    checked: int
    violated: int
    scored: bool = True
    flaky: str | None = None


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
    are processing times (ms)."""

    job: str
    aligned: bool
    drift: int
    overshoot: int
    subtasks: list[SubtaskPicture]
    band: list[list[int]]
    restarts: list[int] = []


class ItemResult(Struct, frozen=True, kw_only=True):
    """One test item (component, suite, chunk): `judged`, `failed` (it found a difference), or why not. One
    added after the suite is not `scored`."""

    id: str
    outcome: Literal["judged", "failed", "crashed", "timeout", "error", "not-run"]
    scenarios: int
    steps: int
    duration_s: float
    text: str = ""
    scored: bool = True


class Results(Struct, frozen=True, kw_only=True):
    """A whole run, scored for the version `suite`. `jobs` are the pictures of the jobs that ran. `counts` has
    one entry for each verdict, of scored rules, and `scenarios`, `steps`, `failing_scenarios`. `complete` is
    false if the run ended early. `left_out`: how many scenarios were not put to the engine, by the reason.
    `exit_code` is what the command ended with."""

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
    suite: str = FIRST_VERSION


def encode_results(results: Results) -> bytes:
    """The document, indented for people who open it."""
    return msgspec.json.format(msgspec.json.encode(results), indent=1) + b"\n"


def decode_results(document: bytes, name: str) -> Results:
    """Read a results document. Raises `BadInput` if it is cut off, foreign or of another version."""
    try:
        schema = msgspec.json.decode(document, type=dict[str, Any]).get("schema")
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"{name}: not a results document (cut off?): {error}") from None
    if schema != SCHEMA:
        raise BadInput(f"{name}: schema is {schema!r}, this Tidegauge reads {SCHEMA!r}")
    try:
        return msgspec.json.decode(document, type=Results)
    except msgspec.DecodeError as error:
        raise BadInput(f"{name}: not a results document: {error}") from None
