"""A run inside pytest: the engine, the plan, and the journal that the controller writes."""

from __future__ import annotations

import os
import platform
import re
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from tidegauge_reference import Policies
from tidegauge_spec import Rule, load_registry

from ..components.within import component_within
from ..engine.adapter import Adapter, ComponentAdapter
from ..engine.ahead import AnswersAhead
from ..engine.expressed_shape import drawn_shapes
from ..engine.loading import describe, load_adapter
from ..engine.parent_death import end_with_parent
from ..engine.runner import Marker
from ..judging.items.examination import Examiner
from ..judging.items.item_report import ItemReport
from ..judging.items.kept_answers import KeptAnswers
from ..judging.items.preflight import preflight, preflight_scenarios
from ..judging.reference.deviating_reference import Semantics, with_deviations
from ..judging.reference.deviations import KnownDeviations, deviations_of
from ..judging.reference.profiles import Profile, profile_of, under_profile
from ..wire.implementation import Implementation
from ..wire.scenario import BadInput, Scenario
from ..wire.shapes import AnyShape
from ..wire.transcript import Failure
from .call_ahead import CallAhead
from .items import scenarios_of, shapes_within
from .journal import Ended, Finished, Journal, JournalReader, Outcome, Refused, Started
from .methods import check_methods
from .options import FEW_WORKERS, PYTEST_PREFIX, REQUEST_OPTIONS, request_of
from .plan import PlannedItem, components_asked_for, plan
from .request import Request
from .request_check import checked
from .run_folder import finished_before
from .watch import CLOSING, IS_WATCHED, KILLED, RUNNING, Killed, killed_in, memory_of, watched

_LONGEST_TEXT = 4000
_REFUSED = "refused-by-a-worker"
"""The file in which a process that could not start says why."""

_JOURNAL_FOLDER = "tidegauge_journal_folder"
"""Under this name a worker is told it."""

_MOST_KILLED = 3
"""After so many processes that had to be killed, no more items of that component are run."""

_SECONDS_TO_CLOSE = 30

_FAILED_STARTS = 3
"""So many new processes that do not start, while none works, end the run."""
_USUAL_ITEM_SECONDS = 300.0
_PATIENCE = 0.4
"""This part of its time an item waits for calls that bring nothing; then it runs its scenarios itself."""

_FIRST_WORKERS = ("main", "gw0")
_PACKAGES = ("tidegauge", "pytest", "hypothesis", "pyspark")


@dataclass
class Run:
    """What is run on whom."""

    request: Request
    adapter: Adapter
    implementation: Implementation
    profile: Profile
    planned: list[PlannedItem]
    folder: Path | None
    worker: str
    known: KnownDeviations
    drawn: tuple[AnyShape, ...] = ()
    item_seconds: float = _USUAL_ITEM_SECONDS

    @property
    def policies(self) -> Policies:
        """The policies of the profile."""
        return self.profile.policies

    @cached_property
    def semantics(self) -> Semantics:
        """What the engine is compared with."""
        return with_deviations(self.policies, self.known.deviation)

    @property
    def is_small(self) -> bool:
        """Whether a second worker takes longer to start than it saves."""
        return self.request.budget == "smoke" and len({item.component for item in self.planned}) == 1

    def scenarios(self, item: PlannedItem) -> Iterator[Scenario]:
        """The scenarios of an item."""
        shapes = shapes_within(item, self.implementation.shapes, self.drawn)
        return scenarios_of(item, self.request, self.policies, shapes)

    def rule(self, rule_id: str) -> Rule:
        """A rule of the specification."""
        return load_registry().rules[rule_id]

    def examiner(self, item: PlannedItem) -> Examiner:
        """A judge that leaves a mark of what it is about to run."""
        return Examiner(
            self._engine(item),
            self.implementation,
            self.policies,
            deviations=self.known.deviation,
            drawn=self.drawn,
            about_to_run=lambda scenario: self._mark(item.id, scenario),
            kept=None if self.adapter.ahead else self._kept,
        )

    def _mark(self, item: str, scenario: str) -> None:
        """Only adapters of engines in this process are known to run a scenario as soon as they take it."""
        one_by_one = isinstance(self.adapter, ComponentAdapter)
        self._marker.about_to_run(item, scenario, self.request.scenario_seconds if one_by_one else 0)

    def close(self) -> None:
        """Close the engine, which has its own time for that."""
        self._marker.about_to_run(CLOSING, CLOSING, _SECONDS_TO_CLOSE)
        if self._call_ahead is not None:
            self._call_ahead.engine.close()
        self.adapter.close()
        self._marker.about_to_run(CLOSING, "")

    def given_up(self, component: str) -> str:
        """Why no more items of a component are run; empty as long as they are."""
        killed = killed_in(self.folder) if self.folder is not None else []
        of_it = [one for one in killed if one.item.startswith(f"{component}-")]
        if len(of_it) < _MOST_KILLED:
            return ""
        return f"{len(of_it)} processes of the engine had to be killed; in the last it {of_it[-1].reason}"

    def refusal(self, item: PlannedItem) -> list[tuple[Scenario, Failure]] | None:
        """How the engine failed in every scenario of the preflight of an item's component; None if it
        answered one. Tried once in each process."""
        component = item.component
        if component not in self._refusals:
            capabilities = self.implementation.capabilities
            narrowed = component_within(component, self.drawn)
            scenarios = preflight_scenarios(narrowed, self.policies, capabilities)
            self._refusals[component] = preflight(
                self._engine(item), scenarios, lambda scenario: self._mark(item.id, scenario)
            )
        return self._refusals[component]

    def _engine(self, item: PlannedItem) -> Adapter:
        """What runs the scenarios of an item."""
        if self._call_ahead is None:
            return self.adapter
        self._call_ahead.reach(item.component)
        return self._call_ahead.engine

    @cached_property
    def _call_ahead(self) -> CallAhead | None:
        """None in a process that replaces one that was killed: there each item is on its own, so that
        no more than one is lost at a time."""
        if not self.adapter.ahead or self.worker not in _FIRST_WORKERS:
            return None
        engine = AnswersAhead(self.adapter, self.item_seconds * _PATIENCE)
        examiner = Examiner(
            engine,
            self.implementation,
            self.policies,
            deviations=self.known.deviation,
            drawn=self.drawn,
        )
        return CallAhead(self.planned, self.request, examiner, engine)

    @cached_property
    def _kept(self) -> KeptAnswers:
        return KeptAnswers()

    @cached_property
    def _refusals(self) -> dict[str, list[tuple[Scenario, Failure]] | None]:
        return {}

    @cached_property
    def _marker(self) -> Marker:
        folder = self.folder if self.folder is not None else Path(tempfile.gettempdir())
        return Marker(folder / f"{RUNNING}{self.worker}-{os.getpid()}")


_STARTS_IN_VAIN = 50
"""Each item may cost the worker that runs it, and so many more may fail to start while others work."""


def start(config: pytest.Config) -> Run:
    """Load the engine, plan the run and begin the journal; raises `pytest.UsageError` on bad input."""
    out = config.getoption("--tidegauge-out")
    told: dict[str, str] | None = getattr(config, "workerinput", None)
    is_worker = told is not None
    if is_worker:
        end_with_parent()
    allure = None if is_worker else config.getoption("allure_report_dir", None)
    scratch = "" if out or is_worker else _scratch(config)
    place = told.get(_JOURNAL_FOLDER) if told is not None else out or scratch
    folder = Path(place) if place else None
    journal = None
    try:
        request = _request(config)
        finished = finished_before(folder) if folder is not None else None
        if folder is not None and not is_worker:
            journal = Journal(folder, goes_on=finished is not None)
        run = make_run(request, folder, os.environ.get("PYTEST_XDIST_WORKER", "main"))
        run.item_seconds = _item_seconds(config)
        if not is_worker and not run.implementation.one_process:
            components = {item.component for item in run.planned}
            check_methods(request.adapter, run.adapter, components, run.policies, run.drawn)
        if finished is not None and folder is not None:
            _check_that_it_is_the_same(folder, run)
            run.planned = [item for item in run.planned if item.id not in finished]
    except BadInput as problem:
        if journal is not None:
            journal.write(Refused(str(problem)))
        elif folder is not None and is_worker:
            (folder / _REFUSED).write_text(str(problem), encoding="utf-8")
        raise pytest.UsageError(str(problem)) from None
    few = run.is_small and FEW_WORKERS in os.environ
    if (run.implementation.one_process or few) and not is_worker:
        # not by marks for `--dist loadgroup`: pytest 9.2 ignores them (pytest-xdist issue 1386)
        config.option.tx = getattr(config.option, "tx", [])[:1]
    if not is_worker and getattr(config.option, "maxworkerrestart", None) is None:
        config.option.maxworkerrestart = str(len(run.planned) + _STARTS_IN_VAIN)
    if journal is not None:
        if finished is None:
            journal.write(
                Started(
                    request=request,
                    profile=run.profile.name,
                    own_profile=run.profile.own,
                    implementation=run.implementation,
                    environment=environment(),
                    planned=tuple(item.id for item in run.planned),
                    time=datetime.now(UTC).isoformat(timespec="seconds"),
                    known=run.known,
                    drawn=run.drawn,
                )
            )
        config.pluginmanager.register(JournalWriter(journal, config), "tidegauge-journal")
        if IS_WATCHED not in os.environ:
            memory = memory_of(request, run.implementation)
            config.add_cleanup(watched(journal.folder, _item_seconds(config), memory))
        if allure:
            from .allure_under_pytest import AllureView

            kept = Path(out) if out else Path(allure) / "tidegauge"
            arguments = tuple(map(str, config.invocation_params.args))
            view = AllureView(journal.folder, Path(allure), kept, arguments)
            config.pluginmanager.register(view, "tidegauge-allure")
    return run


def _check_that_it_is_the_same(folder: Path, run: Run) -> None:
    """Raises `BadInput` if a run that is resumed is about another engine, or about other items."""
    before = next((event for event in JournalReader(folder).new_events() if isinstance(event, Started)), None)
    if before is None:
        raise BadInput("the run that was killed had not started; leave --resume out")
    for what, then, now in (
        ("the engine", before.implementation, run.implementation),
        ("the profile", (before.profile, before.own_profile), (run.profile.name, run.profile.own)),
        ("the seed", before.request.seed, run.request.seed),
        ("the selection", before.planned, tuple(item.id for item in run.planned)),
    ):
        if then != now:
            raise BadInput(f"{what} is not that of the run that was killed; leave --resume out")


def _item_seconds(config: pytest.Config) -> float:
    """How long (s) an item may take: as pytest-timeout is told, or else five minutes."""
    return float(getattr(config.option, "timeout", None) or _USUAL_ITEM_SECONDS)


def _scratch(config: pytest.Config) -> str:
    """A folder for the journal that goes with the session."""
    scratch = tempfile.TemporaryDirectory(prefix="tidegauge-")
    config.add_cleanup(scratch.cleanup)
    return scratch.name


def make_run(request: Request, folder: Path | None, worker: str) -> Run:
    """The run that a request describes. Raises `BadInput`."""
    request = checked(request)
    adapter = load_adapter(request.adapter, request.options)
    implementation = describe(request.adapter, adapter)
    known = deviations_of(request.deviations, implementation.deviations)
    profile = profile_of(request.profile or implementation.profile)
    policies = profile.policies
    claimed = implementation.capabilities
    implementation = under_profile(profile, implementation)
    if not components_asked_for(request, implementation):
        why = _why_nothing(claimed, implementation.capabilities, profile.name)
        raise BadInput(f"adapter {request.adapter!r} claims {why}")
    drawn = drawn_shapes(adapter, implementation)
    planned = plan(request, replace(implementation, shapes=drawn), policies)
    with_deviations(policies, known.deviation)
    return Run(request, adapter, implementation, profile, planned, folder, worker, known, drawn)


def _why_nothing(claimed: Sequence[str], present: Sequence[str], profile: str) -> str:
    """What an engine claims of which nothing can be judged, and the remedy."""
    if not claimed:
        return "nothing: give it the method of a component, such as `valve`"
    if not present:
        return f"{', '.join(claimed)}, which the profile {profile} does not have: choose another profile"
    return f"{', '.join(present)}, and none of that is chosen: choose other rules or components"


def environment() -> dict[str, str]:
    """What the run ran on."""
    found = {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cpus": str(os.cpu_count()),
    }
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _request(config: pytest.Config) -> Request:
    given = {option.name: config.getoption(PYTEST_PREFIX + option.name) for option in REQUEST_OPTIONS}
    return request_of({**given, "out": given["out"] or ""})


class JournalWriter:
    """Writes the journal from the reports that reach the controller."""

    def __init__(self, journal: Journal, config: pytest.Config) -> None:
        self.journal = journal
        self.timeout = float(getattr(config.option, "timeout", None) or 0)
        self.started: dict[str, float] = {}
        self.finished: set[str] = set()
        self.working: set[Any] = set()
        self.failed_starts = 0

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """A worker is about to start; it leaves marks beside the journal."""
        node.workerinput[_JOURNAL_FOLDER] = str(self.journal.folder)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodeready(self, node: Any) -> None:
        """A worker has started."""
        self.working.add(node)
        self.failed_starts = 0

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """A worker has ended, or never started; if none works any more, and none starts, that is the end."""
        self.failed_starts += node not in self.working
        self.working.discard(node)
        if not self.working and self.failed_starts >= _FAILED_STARTS:
            pytest.exit(f"no process of the engine starts any more: {self._problem()}", returncode=1)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """An item starts."""
        self.started[nodeid] = time.monotonic()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """An item ended, or its worker died."""
        if report.when != "call" and not report.failed:
            return
        if report.when == "teardown" and report.passed:
            return
        name = re.search(r"\[(.+)\]$", report.nodeid)
        if name is None or report.when not in ("call", "setup", "???"):
            return
        if report.nodeid in self.finished:  # its process ended later: the item is judged
            return
        self.finished.add(report.nodeid)
        found = dict(report.user_properties).get("tidegauge")
        item_report = msgspec.json.decode(str(found), type=ItemReport) if found else None
        elapsed = time.monotonic() - self.started.get(report.nodeid, time.monotonic())
        killed = next((one for one in killed_in(self.journal.folder) if one.item == name[1]), None)
        outcome = self._outcome(report, item_report, elapsed, killed)
        running = self._running(name[1]) if outcome in ("crashed", "timeout") else ""
        text = "" if outcome == "judged" else str(report.longrepr)[:_LONGEST_TEXT]
        if outcome in ("crashed", "timeout"):
            running = running or (killed.scenario if killed is not None else "")
            while_it_ran = f"while scenario {running} ran" if running else "outside of any scenario"
            text = f"the process of the engine ended {while_it_ran}"
        self.journal.write(
            Finished(
                item=name[1],
                outcome=outcome,
                duration_s=elapsed,
                report=item_report,
                text=text,
                running=running,
                did=killed.reason if killed is not None and outcome in ("crashed", "timeout") else "",
            )
        )

    def _outcome(
        self, report: pytest.TestReport, found: ItemReport | None, elapsed: float, killed: Killed | None
    ) -> Outcome:
        if str(report.when) == "???":
            if killed is not None:
                return "timeout" if killed.outcome == "timeout" else "crashed"
            return "timeout" if self.timeout and elapsed >= self.timeout else "crashed"
        if report.passed:
            return "judged"
        shown = found is not None and (found.failing or found.interference is not None)
        return "failed" if shown else "error"

    def _running(self, item: str) -> str:
        for path in sorted(self.journal.folder.glob(f"{RUNNING}*")):
            marked = Marker.read(path)
            if marked is not None and marked.item == item:
                return marked.scenario
        return ""

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """The session came to its own end."""
        self.journal.write(Ended(int(exitstatus), self._problem(), self._not_closed()))
        self.journal.close()
        folder = self.journal.folder
        for path in (*folder.glob(f"{RUNNING}*"), *folder.glob(f"{KILLED}*"), folder / _REFUSED):
            path.unlink(missing_ok=True)

    def _problem(self) -> str:
        """Why a worker did not start, if one did not."""
        file = self.journal.folder / _REFUSED
        return file.read_text(encoding="utf-8") if file.is_file() else ""

    def _not_closed(self) -> str:
        """What processes of the engine did when they were to end."""
        killed = [one for one in killed_in(self.journal.folder) if one.item == CLOSING]
        return f"when it was closed the engine {killed[0].reason}, and was killed" if killed else ""
