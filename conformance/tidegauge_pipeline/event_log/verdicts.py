"""What the findings in an event log say of rules: data for the terminal, and for `log-results.json`.

A log shows what happened in one job, and nothing of what did not. A `pass` says of how many rows it speaks.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from . import alignment
from .counts import Count, Example
from .findings import OperatorFindings
from .job.job_findings import Finding, findings_of
from .properties import PROPERTIES, Role
from .surroundings import NearbyRow

RULES = {**{one.name: one.rules for one in PROPERTIES}, alignment.NAME: alignment.RULES}
"""The rules that each property speaks for, by what a subtask does."""

SENTENCES = {**{one.name: one.sentence for one in PROPERTIES}, alignment.NAME: alignment.SENTENCE}
"""What each property says."""

Verdict = Literal["pass", "fail", "suspect", "not-tested"]


class PropertyVerdict(Struct, frozen=True):
    """What an operator's log shows of a property. `rules`: those that the property speaks for;
    `sentence`: what it says; `around`: the rows around the first one that breaks it."""

    job: str
    source: str
    role: Role
    property: str
    rules: tuple[str, ...]
    verdict: Verdict
    count: Count
    sentence: str = ""
    around: tuple[NearbyRow, ...] = ()


class RuleVerdict(Struct, frozen=True):
    """What a whole log shows of a rule. `rows`: of how many rows its properties spoke, `reason`: why it is
    neither passed nor failed; `one_of`: the suspects, of which at least one is broken."""

    rule: str
    verdict: Verdict
    rows: int
    properties: tuple[str, ...]
    reason: str = ""
    one_of: tuple[str, ...] = ()


class LogResults(Struct, frozen=True, kw_only=True):
    """All that is known of an event log. `overall` is `pass` if no property is broken, no file was skipped
    and no trouble found that is not tolerated. `findings` about the job do not count."""

    log: str
    version: int
    rows: int
    files: int
    overall: Literal["pass", "fail", "incomplete"]
    skipped: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    rules: tuple[RuleVerdict, ...] = ()
    properties: tuple[PropertyVerdict, ...] = ()
    operators: tuple[OperatorFindings, ...] = ()
    findings: tuple[Finding, ...] = ()


def results_of(
    log: str,
    version: int,
    operators: Sequence[OperatorFindings],
    *,
    files: int,
    skipped: Sequence[str] = (),
    ignored: Collection[str] = (),
    tolerated: Collection[str] = (),
    drift: int | None = None,
) -> LogResults:
    """What the findings say. `ignored`: properties that are not counted; `tolerated`: troubles that do not
    make the results incomplete; `drift`: how far aligned sources may be apart (ms)."""
    verdicts = tuple(_of_properties(operators, ignored))
    troubled = any(set(one.troubles) - set(tolerated) for one in operators)
    if any(one.verdict == "fail" for one in verdicts):
        overall: Literal["pass", "fail", "incomplete"] = "fail"
    else:
        overall = "incomplete" if troubled or skipped else "pass"
    return LogResults(
        log=log,
        version=version,
        rows=sum(one.rows for one in operators),
        files=files,
        overall=overall,
        skipped=tuple(skipped),
        ignored=tuple(sorted(ignored)),
        rules=tuple(_of_rules(verdicts)),
        properties=verdicts,
        operators=tuple(operators),
        findings=findings_of(operators, drift),
    )


def _of_properties(
    operators: Iterable[OperatorFindings], ignored: Collection[str]
) -> Iterable[PropertyVerdict]:
    for operator in operators:
        for name, of_roles in RULES.items():
            rules = of_roles.get(operator.role)
            if rules is None or name in ignored:
                continue
            count = operator.properties.get(name, Count())
            verdict: Verdict = "fail" if count.broken else "pass" if count.about else "not-tested"
            yield PropertyVerdict(
                job=operator.job,
                source=operator.source,
                role=operator.role,
                property=name,
                rules=rules,
                verdict=verdict,
                count=count,
                sentence=SENTENCES[name],
            )


def _of_rules(verdicts: Sequence[PropertyVerdict]) -> Iterable[RuleVerdict]:
    by_rule: dict[str, list[PropertyVerdict]] = {}
    for one in verdicts:
        for rule in one.rules:
            by_rule.setdefault(rule, []).append(one)
    for rule, mine in sorted(by_rule.items(), key=lambda item: _place(item[0])):
        yield _of_rule(rule, mine)


def _place(rule: str) -> tuple[str, int]:
    prefix, _, number = rule.rpartition("-")
    return prefix, int(number)


def _of_rule(rule: str, mine: Sequence[PropertyVerdict]) -> RuleVerdict:
    names = tuple(dict.fromkeys(one.property for one in mine))
    rows = sum(one.count.about for one in mine)
    broken = [one for one in mine if one.verdict == "fail"]
    if any(one.rules == (rule,) for one in broken):
        return RuleVerdict(rule, "fail", rows, names)
    if broken:
        return RuleVerdict(rule, "suspect", rows, names, "one of these rules is broken", broken[0].rules)
    if not rows:
        return RuleVerdict(rule, "not-tested", 0, names, "no row of the log speaks for it")
    return RuleVerdict(rule, "pass", rows, names)


def with_surroundings(
    results: LogResults, find: Callable[[str, str, Example], tuple[NearbyRow, ...]], most: int
) -> LogResults:
    """The results with the rows around the first row that breaks each property, for so many properties.
    `find` has a job, a source and the first example."""
    left = most
    shown = []
    for one in results.properties:
        if one.verdict == "fail" and left > 0:
            left -= 1
            one = replace(one, around=find(one.job, one.source, one.count.first[0]))
        shown.append(one)
    return replace(results, properties=tuple(shown))
