"""A run as test cases, as build servers know them: rules, properties, and what else a run may fail by.

One of them fails, in the sense of `FAILING`, exactly if the run ended with an exit code other than 0.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from tidegauge.wire.results import (
    ACCUSED,
    KNOWN_DEVIATIONS,
    DeviationResult,
    EngineError,
    ItemResult,
    PropertyResult,
    Results,
    RuleResult,
    kind_of,
)
from tidegauge.words.conclusion import conclude
from tidegauge.words.diagnosis import diagnosis_words, model_words
from tidegauge.words.evidence import (
    FLAKY,
    THIN,
    difference_words,
    downstream_words,
    error_detail,
    error_place,
    error_words,
    in_the_way_words,
    suspected_words,
)
from tidegauge.words.isolation import interference_words
from tidegauge.words.suspects import one_of_words, plausibility_words
from tidegauge.words.verdicts import UNFINISHED_OUTCOMES, item_words

from ..text import with_command

Outcome = Literal["passed", "failed", "unknown", "broken", "skipped"]
FAILING: tuple[Outcome, ...] = ("failed", "unknown", "broken")
"""Outcomes with which a run does not succeed: a broken rule or a suspect (`failed`), a rule that is not
tested (`unknown`), an error (`broken`)."""

RUN = "run"
DEVIATIONS = "known deviations"
"""Stand where a component does, in cases that belong to none."""

_LONGEST_MESSAGE = 4_000
"""Beyond it a message is cut and the command to replay follows it whole."""

Kind = Literal["rule", "property", "error", "item", "deviation", "run"]


@dataclass(frozen=True, kw_only=True)
class Case:
    """One case. `identity` names it in every run; `summary` says in a line why it did not pass, `text` all
    that is known. Texts are as foreign as they were in the results."""

    kind: Kind
    identity: str
    name: str
    component: str
    outcome: Outcome
    summary: str = ""
    text: str = ""
    duration_s: float = 0.0
    rule: RuleResult | None = None
    flaky: bool = False

    @property
    def suspect(self) -> bool:
        """Whether the case is a rule with the verdict `suspect`."""
        return self.rule is not None and self.rule.verdict == "suspect"


def cases_of(results: Results) -> list[Case]:
    """The cases of a run: errors, rules, properties, items without a result, known deviations, the run
    itself."""
    components = {rule.component for rule in results.rules}
    verdicts = {*map(kind_of, results.rules), *map(kind_of, results.properties)}
    blamed = not verdicts.isdisjoint(ACCUSED)
    cases = [
        *(_of_error(error, number) for number, error in enumerate(results.errors, start=1)),
        *map(_of_rule, results.rules),
        *map(_of_property, results.properties),
        *(_of_item(item, components) for item in results.items if _tells(item, blamed)),
        *map(_of_deviation, results.deviations),
    ]
    return [*cases, _of_run(results, any(case.outcome in FAILING for case in cases))]


def _of_error(error: EngineError, number: int) -> Case:
    """An error of its own, so that its traceback is told once and not with each rule."""
    said = error_words(error)
    detail = error_detail(error)
    told = [error.text, f"{error_place(error)}.", error.traceback]
    if error.rules:
        told.insert(2, f"Rules that decide there: {', '.join(error.rules)}.")
    return Case(
        kind="error",
        identity=f"error:{number}:{error.component}",
        name=f"{error.component} {said}",
        component=error.component,
        outcome="broken",
        summary=f"Error: {said}{detail}",
        text="\n".join(filter(None, told)),
    )


def _of_rule(rule: RuleResult) -> Case:
    outcome, summary = _judged(rule)
    return Case(
        kind="rule",
        identity=rule.id,
        name=f"{rule.id} {rule.title}",
        component=rule.component,
        outcome=outcome,
        summary=summary,
        text=_account(rule),
        rule=rule,
        flaky=rule.flaky is not None or _changes(rule),
    )


def _of_property(found: PropertyResult) -> Case:
    outcome, summary = _judged(found)
    return Case(
        kind="property",
        identity=f"property:{found.name}",
        name=f"property {found.name}",
        component=found.component,
        outcome=outcome,
        summary=summary,
        text="\n".join(filter(None, [found.sentence, found.reason, *_shown_by(found)])),
        flaky=found.flaky is not None,
    )


def _judged(found: RuleResult | PropertyResult) -> tuple[Outcome, str]:
    """The outcome of a verdict, and why it is no pass; what is not held against the engine is skipped."""
    if found.verdict == "pass":
        return "passed", found.reason
    if found.verdict == "not-applicable":
        return "skipped", f"Not applicable: {found.reason}"
    if kind_of(found) == KNOWN_DEVIATIONS:
        return "skipped", f"Known deviation: {found.deviation}"
    if found.verdict == "error":
        return "broken", f"Error: {found.reason}"
    if found.verdict == "not-tested":
        return "unknown", f"Not tested: {found.reason}"
    if found.flaky is not None:
        return "skipped", f"{FLAKY}: {found.flaky}"
    if isinstance(found, RuleResult) and found.verdict == "suspect":
        return "failed", f"Suspect ({one_of_words(found)}): {_difference(found)}"
    return "failed", f"Broken: {_difference(found)}"


def _difference(found: RuleResult | PropertyResult) -> str:
    counterexample = found.counterexample if isinstance(found, RuleResult) else None
    return found.reason if counterexample is None else difference_words(counterexample)


def _changes(rule: RuleResult) -> bool:
    return rule.counterexample is not None and not rule.counterexample.deterministic


def _account(rule: RuleResult) -> str:
    """What a failing rule shows, how to replay it, and where to look."""
    lines = [f"{rule.id} ({rule.level}) {rule.title}", f"  {rule.sentence}", rule.reason]
    counterexample = rule.counterexample
    if counterexample is not None:
        lines = [with_command(counterexample.message, counterexample.replay, _LONGEST_MESSAGE)]
    lines += [suspected_words(rule), plausibility_words(rule), downstream_words(rule), in_the_way_words(rule)]
    if rule.thin:
        lines.append(f"{THIN}: {', '.join(rule.excludes) or 'none'}")
    return "\n".join(filter(None, lines))


def _tells(item: ItemResult, blamed: bool) -> bool:
    """Whether an item says what no rule and no property says."""
    return item.outcome in UNFINISHED_OUTCOMES or (item.outcome == "failed" and not blamed)


def component_of(item: ItemResult, components: Collection[str]) -> str:
    """The component that an item belongs to, by its id (`valve-fuzz`); `RUN` if it is none of them."""
    return max((name for name in components if item.id.startswith(f"{name}-")), key=len, default=RUN)


def _shown_by(found: PropertyResult) -> list[str]:
    """The rules that a property speaks for, and what shows that instances of the engine share state."""
    speaks = f"Speaks for {', '.join(found.rules)}." if found.rules else ""
    message = interference_words(found)
    if message and found.interference is not None:
        message = with_command(message, found.interference.replay, _LONGEST_MESSAGE)
    return [speaks, message]


def _of_item(item: ItemResult, components: Collection[str]) -> Case:
    outcomes: dict[str, Outcome] = {"failed": "failed", "not-run": "unknown"}
    return Case(
        kind="item",
        identity=f"item:{item.id}",
        name=f"item {item.id}",
        component=component_of(item, components),
        outcome=outcomes.get(item.outcome, "broken"),
        summary=item_words(item),
        text=item.text,
        duration_s=item.duration_s,
    )


def _of_deviation(found: DeviationResult) -> Case:
    known = found.status in ("as-known", "not-tried")
    return Case(
        kind="deviation",
        identity=f"deviation:{found.name}",
        name=f"known deviation {found.name}",
        component=DEVIATIONS,
        outcome="skipped" if known else "failed",
        summary=f"{'Known deviation' if known else 'Not as known'}: {found.explanation}",
        text=f"{found.explanation}\nRules: {', '.join(found.rules)}\n{found.reason} ({found.link})",
    )


def _of_run(results: Results, others_fail: bool) -> Case:
    """The run as a whole: it came to its end, and if it failed, some other case says why."""
    conclusion = conclude(results)
    well = results.complete and (results.exit_code == 0 or others_fail)
    return Case(
        kind="run",
        identity="run",
        name="the run came to its end and judged something",
        component=RUN,
        outcome="passed" if well else "broken",
        summary="" if well else conclusion.headline,
        text="\n".join(
            filter(
                None,
                [
                    conclusion.headline,
                    *conclusion.remarks,
                    diagnosis_words(results),
                    *map(model_words, results.components),
                ],
            )
        ),
    )
