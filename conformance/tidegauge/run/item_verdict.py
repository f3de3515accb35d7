"""Runs an item in the process of the engine. The result is a journal event, with the failure in words."""

import traceback

import msgspec

from tidegauge_spec import load_registry

from ..components.registry import COMPONENTS
from ..components.wording import (
    UNDER_REVIEW,
    answer_text,
    failure_message,
    job_failure_message,
    outputs_text,
)
from ..engine.foreign_text import message_of
from ..judging.diagnosis.first_look import rule_under_review
from ..judging.items.endurance import examine_endurance
from ..judging.items.isolation import examine_isolation
from ..judging.items.item_report import FoundFailure, ItemReport, count_error
from ..judging.items.judge import judge
from ..judging.reference.oracle import expect
from ..wire.growth import state_words
from ..wire.scenario import BadInput, encode_scenario
from ..wire.steps.job import JobScenario
from .counterexamples import property_sentence
from .interference import interference_text
from .items import examine
from .journal import Finished
from .plan import PlannedItem
from .run_in_process import Run

_LONGEST_TEXT = 4000


def finished(run: Run, item: PlannedItem) -> Finished:
    """Run an item and return its event, without its duration. Raises `BadInput`."""
    report = ItemReport(item.id, item.component)
    try:
        text = _refused(run, item, report) or _failure(run, item, report)
    except BadInput:
        raise
    except Exception as error:  # the engine may have broken the kit in this process
        trouble = f"{message_of(error)}\n{traceback.format_exc()}"[:_LONGEST_TEXT]
        return Finished(item=item.id, outcome="error", duration_s=0.0, report=report, text=trouble)
    shows_failure = bool(report.failing) or report.interference is not None
    return Finished(
        item=item.id,
        outcome="judged" if not text else "failed" if shows_failure else "error",
        duration_s=0.0,
        report=report,
        text=text[:_LONGEST_TEXT],
    )


def _refused(run: Run, item: PlannedItem, report: ItemReport) -> str:
    """Return how the engine failed if it answers no scenario of the preflight of the item's component; an
    empty text if it answers at least one. The failures are counted into `report`, and the item runs nothing
    else."""
    failures = run.refusal(item)
    if failures is None:
        return ""
    report.refused = True
    rules = [rule.id for rule in load_registry().of_component(report.component)]
    for scenario, failure in failures:
        report.scenarios += 1
        report.unanswered += 1
        count_error(report, scenario, failure, rules)
    return f"no answer in any scenario of the preflight: {failures[0][1].text}"


def _failure(run: Run, item: PlannedItem, report: ItemReport) -> str:
    """Run an item, counting into `report`. Return the failure in words, or an empty text."""
    examiner = run.examiner(item)
    if item.suite == "endurance":
        examine_endurance(examiner, report, item.stop - item.start)
        return _growth(run, item, report)
    if item.suite == "interleaved":
        examine_isolation(examiner, report, list(run.scenarios(item)))
        return _interference(run, report)
    if item.suite == "fuzz":
        from .fuzz_items import fuzz  # Hypothesis takes long to import

        fuzz(item, run, examiner, report)
    elif item.suite == "interactive":
        from .interactive_items import step_interactively

        step_interactively(item, run, examiner, report)
    else:
        scenarios = () if item.suite == "jobs" else run.scenarios(item)
        examine(item, run.request, scenarios, examiner, report)
    return _difference(run, report)


def _growth(run: Run, item: PlannedItem, report: ItemReport) -> str:
    """Return in words which state grows although no more of it is live; an empty text if none does."""
    known = {rule for deviation in run.known.deviation for rule in deviation.rules}
    bounded = {long.name for long in COMPONENTS[item.component].endurance if set(long.rules) - known}
    grown = [state_words(growth) for growth in report.growth if growth.grows and growth.scenario in bounded]
    if not grown:
        return ""
    again = f"tidegauge run --adapter {run.request.adapter} --component {item.component}"
    return f"state grows though no more is live: {'; '.join(grown)}; {again} measures again"


def _interference(run: Run, report: ItemReport) -> str:
    """Return in words that instances of the engine share state; an empty text if that was not reproduced."""
    seen = report.interference
    if seen is None or not seen.steady:
        return ""
    counted = next(iter(report.properties.values()))
    scenarios = "\n".join(encode_scenario(scenario).decode() for scenario in seen.scenarios)
    replay = f"tidegauge replay FILE --interleaved --adapter {run.request.adapter}"
    return (
        f"instances of the engine share state: {counted.violated} of {counted.checked} pairs of scenarios "
        "differ from each scenario alone; the smallest pair:\n"
        + interference_text(seen, f"write the scenarios below to a file; {replay}\n{scenarios}")
    )


def _difference(run: Run, report: ItemReport) -> str:
    """Return the item's smallest failure in words, or else the first scenario without an answer."""
    if not report.failures:
        assert report.failing == 0
        if not report.errors:
            return ""
        first = next(iter(report.errors.values()))
        return (
            f"no answer in {report.unanswered} of {report.scenarios} scenarios, first in "
            f"{first.scenario}: {first.text}\n{first.traceback}"
        )
    failure = min(report.failures, key=lambda failure: len(failure.scenario.history))
    if isinstance(failure.scenario, JobScenario):
        return "\n".join(_job_failure(failure, run) for failure in report.failures)
    expectation = expect(failure.scenario, run.semantics)
    observes = run.implementation.observes
    judgement = judge(failure.scenario, failure.transcript, expectation, observes)
    under_review = rule_under_review(report, failure, run.policies, run.known, observes)
    silent = failure.property is None and not report.outputs
    message = failure_message(
        rules=[run.rule(under_review)],
        scenario=failure.scenario,
        right=expectation.outputs,
        last_step=judgement.last_step
        if judgement.diverges_at is not None
        else len(failure.scenario.history) - 1,
        expected=outputs_text(judgement.expected),
        got=answer_text(judgement.got),
        replay=f"write the scenario below to a file; tidegauge replay FILE --adapter {run.request.adapter}",
    )
    scenario = msgspec.json.encode(failure.scenario).decode()
    return (
        f"{report.failing} of {report.scenarios} scenarios fail{', in which nothing comes out' * silent}; "
        f"the minimal counterexample, {UNDER_REVIEW}:\n{message}\n{scenario}"
    )


def _job_failure(failure: FoundFailure, run: Run) -> str:
    """Return in words which property a job violates."""
    assert isinstance(failure.scenario, JobScenario)
    message = job_failure_message(
        [run.rule(failure.cited[0])],
        failure.scenario,
        property_sentence(failure.property or ""),
        failure.seen if failure.deterministic else f"{failure.seen} (not in every run)",
        f"write the scenario below to a file; tidegauge replay FILE --adapter {run.request.adapter}",
    )
    return f"{failure.property} violated:\n{message}\n{msgspec.json.encode(failure.scenario).decode()}"
