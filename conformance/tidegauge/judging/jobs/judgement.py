"""What whole jobs prove of a rule: the properties in which its breach can show, and which mutants they
exclude."""

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from importlib.resources import files

import msgspec

from ...components.registry import load_mutants
from ..diagnosis.component_judgement import RuleJudgement, accused_rules
from ..diagnosis.exclusion import FEW
from ..diagnosis.suspicion import Accusation
from ..items.item_report import PropertyCount
from ..items.merged import Findings
from .findings import RULES_OF_JOB_PROPERTIES, can_be_checked

Shown = Sequence[tuple[str, str]]
"""Jobs of the suite with the property that a mutant violates there."""


@cache
def job_kills() -> Mapping[str, Shown]:
    """Where each mutant of whole jobs shows, from runs of the reference's simulator with it
    (`python -m tidegauge.detection.job_kills`)."""
    text = (files("tidegauge.judging.jobs") / "job_kills.json").read_bytes()
    return msgspec.json.decode(text, type=dict[str, list[tuple[str, str]]])


def judge_by_jobs(
    rule: str,
    findings: Findings,
    accusations: Sequence[Accusation],
    capabilities: frozenset[str],
    ran: Collection[str],
) -> RuleJudgement:
    """The judgement of a rule by the jobs that `ran`: it passes if every property in which its breach can
    show was checked and held, on the jobs that the engine claims to run, and its mutants would have violated
    one."""
    if "job" in findings.silent:
        return RuleJudgement("fail", "the engine output nothing at all, in any job")
    if (accused := accused_rules(accusations).get(rule)) is not None:
        return accused
    names = [
        name
        for name, rules in RULES_OF_JOB_PROPERTIES.items()
        if rule in rules and can_be_checked(name, capabilities)
    ]
    counts = {name: findings.properties.get(name, PropertyCount()) for name in names}
    counts = {name: count for name, count in counts.items() if not count.known} or counts
    if violated := sorted(name for name, count in counts.items() if count.violated):
        return RuleJudgement(
            "not-tested", f"{', '.join(violated)} violated, which a breach of it would be, too"
        )
    if vacuous := sorted(name for name, count in counts.items() if count.vacuous):
        return RuleJudgement(
            "not-tested", f"the job without alignment has {', '.join(vacuous)} too, so it tests nothing"
        )
    if missing := sorted(name for name, count in counts.items() if not count.checked):
        return RuleJudgement("not-tested", f"{', '.join(missing)} could not be checked")
    excluded, unseen = [], []
    for name, mutant in load_mutants().items():
        if mutant.component != "job" or rule not in mutant.rules:
            continue
        shown = job_kills().get(name, ())
        if any(job in ran and property in counts for job, property in shown):
            excluded.append(name)
        elif any(can_be_checked(property, capabilities) for _, property in shown):
            unseen.append(name)
    if unseen:
        return RuleJudgement("not-tested", f"mutants that would not have been detected: {', '.join(unseen)}")
    checked = sum(count.checked for count in counts.values())
    reason = f"{', '.join(counts)} held, in {checked} checks"
    return RuleJudgement("pass", reason, excluded=excluded, thin=len(excluded) < FEW)
