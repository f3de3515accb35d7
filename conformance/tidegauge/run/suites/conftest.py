"""What the suites share: the engine under test, the items of the run, and the report of each."""

from collections.abc import Generator, Iterator

import msgspec
import pytest

from tidegauge.components.wording import (
    UNDER_REVIEW,
    answer_text,
    failure_message,
    job_failure_message,
    outputs_text,
)
from tidegauge.judging.diagnosis.first_look import rule_under_review
from tidegauge.judging.items.examination import Examiner
from tidegauge.judging.items.item_report import FoundFailure, ItemReport, count_error
from tidegauge.judging.items.judge import judge
from tidegauge.judging.reference.oracle import expect
from tidegauge.run.counterexamples import property_sentence
from tidegauge.run.plan import SUITES, PlannedItem
from tidegauge.run.plugin import NEEDS_ADAPTER, RUN_KEY
from tidegauge.run.rare_collections import rare_collections
from tidegauge.run.run_under_pytest import Run
from tidegauge.wire.steps.job import JobScenario
from tidegauge_spec import load_registry


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each planned item of the module's suite (`test_state_cover.py`: `state-cover`)."""
    suite = metafunc.module.__name__.rpartition(".test_")[2].replace("_", "-")
    if suite in SUITES and "item" in metafunc.fixturenames:
        run = metafunc.config.stash.get(RUN_KEY, None)
        if run is None:
            metafunc.parametrize("item", [pytest.param(None, id="no-adapter")])
            return
        items = [
            pytest.param(item, id=item.id, marks=pytest.mark.tidegauge_item(item.id))
            for item in run.planned
            if item.suite == suite
        ]
        metafunc.parametrize("item", items)


@pytest.fixture(scope="session")
def run(request: pytest.FixtureRequest) -> Iterator[Run]:
    """The run, with the engine started; closed at the end."""
    run = request.config.stash.get(RUN_KEY, None)
    if run is None:
        pytest.fail(NEEDS_ADAPTER, pytrace=False)
    with rare_collections():
        yield run
    run.close()


@pytest.fixture
def examiner(run: Run, item: PlannedItem) -> Examiner:
    """The judge of the engine for one item."""
    return run.examiner(item)


@pytest.fixture
def report(item: PlannedItem) -> ItemReport:
    """What the item finds, filled in by the test."""
    return ItemReport(item.id, item.component)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> None:
    """Nothing is run on a component of which the engine answers no scenario of the preflight, or in which its
    processes had to be killed again and again."""
    run, report = pyfuncitem.funcargs.get("run"), pyfuncitem.funcargs.get("report")
    item = pyfuncitem.funcargs.get("item")
    if not isinstance(run, Run) or not isinstance(report, ItemReport) or not isinstance(item, PlannedItem):
        return
    if why := run.given_up(report.component):
        pytest.fail(f"not run: {why}", pytrace=False)
    failures = run.refusal(item)
    if failures is None:
        return
    report.refused = True
    rules = [rule.id for rule in load_registry().of_component(report.component)]
    for scenario, failure in failures:
        report.scenarios += 1
        report.unanswered += 1
        count_error(report, scenario, failure, rules)
    pytest.fail(f"no answer in any scenario of the preflight: {failures[0][1].text}", pytrace=False)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Function, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """What the item found travels with pytest's own report, to the journal."""
    outcome = yield
    if call.when == "call" and "report" in item.funcargs:
        found = msgspec.json.encode(item.funcargs["report"]).decode()
        outcome.user_properties.append(("tidegauge", found))
    return outcome


def conforms(report: ItemReport, run: Run) -> None:
    """Fail with the item's smallest failure in words, if it found any."""
    if not report.failures:
        assert report.failing == 0
        if report.errors:
            first = next(iter(report.errors.values()))
            pytest.fail(
                f"no answer in {report.unanswered} of {report.scenarios} scenarios, first in "
                f"{first.scenario}: {first.text}\n{first.traceback}",
                pytrace=False,
            )
        return
    failure = min(report.failures, key=lambda failure: len(failure.scenario.history))
    if isinstance(failure.scenario, JobScenario):
        pytest.fail("\n".join(job_failure(one, run) for one in report.failures), pytrace=False)
    expectation = expect(failure.scenario, run.semantics)
    observes = run.implementation.observes
    judgement = judge(failure.scenario, failure.transcript, expectation, observes)
    under_review = rule_under_review(report, failure, run.policies, run.known, observes)
    silent = failure.property is None and not report.outputs
    message = failure_message(
        [run.rule(under_review)],
        failure.scenario,
        expectation.outputs,
        judgement.last_step if judgement.diverges_at is not None else len(failure.scenario.history) - 1,
        outputs_text(judgement.expected),
        answer_text(judgement.got),
        f"write the scenario below to a file; tidegauge replay FILE --adapter {run.request.adapter}",
    )
    scenario = msgspec.json.encode(failure.scenario).decode()
    pytest.fail(
        f"{report.failing} of {report.scenarios} scenarios fail{', in which nothing comes out' * silent}; "
        f"the minimal counterexample, {UNDER_REVIEW}:\n{message}\n{scenario}",
        pytrace=False,
    )


def job_failure(failure: FoundFailure, run: Run) -> str:
    """A property that a job violates, in words."""
    assert isinstance(failure.scenario, JobScenario)
    message = job_failure_message(
        [run.rule(failure.cited[0])],
        failure.scenario,
        property_sentence(failure.property or ""),
        failure.seen if failure.deterministic else f"{failure.seen} (not in every run)",
        f"write the scenario below to a file; tidegauge replay FILE --adapter {run.request.adapter}",
    )
    return f"{failure.property} violated:\n{message}\n{msgspec.json.encode(failure.scenario).decode()}"
