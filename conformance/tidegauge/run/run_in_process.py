"""A run in the process of its engine: the engine, the plan, and the judge of each item."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version

from msgspec.structs import replace

from tidegauge_reference import Policies
from tidegauge_spec import Rule, load_registry

from ..components.within import component_within
from ..engine.adapter import Adapter, ComponentAdapter
from ..engine.ahead import AnswersAhead
from ..engine.contained import ContainedAdapter, own_adapter
from ..engine.expressed_shape import drawn_shapes
from ..engine.loading import describe, load_adapter
from ..engine.runner import Marker
from ..judging.items.examination import Examiner
from ..judging.items.kept_answers import KeptAnswers
from ..judging.items.preflight import preflight, preflight_scenarios
from ..judging.reference.deviating_reference import Semantics, with_deviations
from ..judging.reference.deviations import KnownDeviations, deviations_of
from ..judging.reference.profiles import Profile, chosen_profile, under_profile
from ..wire.implementation import Implementation
from ..wire.scenario import BadInput, Scenario
from ..wire.shapes import AnyShape
from ..wire.transcript import Failure
from .call_ahead import CallAhead
from .drawn_items import DrawnItems
from .items import shapes_within
from .journal import Started
from .methods import check_methods
from .plan import PlannedItem, components_asked_for, plan
from .request import Request
from .request_check import checked
from .scenario_cache import scenario_cache
from .work import RunOpening

_PATIENCE = 0.4
"""The share of its time limit that an item waits for calls without progress. It then runs its scenarios
itself."""

_PACKAGES = ("tidegauge", "pytest", "hypothesis", "pyspark")


@dataclass
class Run:
    """A run: the engine, its profile, and the plan.

    Args:
        marker: records what is about to run.
        opening: the first message to the worker process.
    """

    opening: RunOpening
    adapter: ContainedAdapter
    implementation: Implementation
    profile: Profile
    planned: list[PlannedItem]
    known: KnownDeviations
    drawn: tuple[AnyShape, ...]
    marker: Marker

    @property
    def request(self) -> Request:
        """What is run, on which engine."""
        return self.opening.request

    @property
    def left(self) -> list[PlannedItem]:
        """The items that are not finished."""
        return [item for item in self.planned if item.id not in self.opening.without]

    @property
    def policies(self) -> Policies:
        """The policies of the profile."""
        return self.profile.policies

    @cached_property
    def semantics(self) -> Semantics:
        """The semantics that the engine is compared with."""
        return with_deviations(self.policies, self.known.deviation)

    def scenarios(self, item: PlannedItem) -> Sequence[Scenario]:
        """The scenarios of an item."""
        shapes = shapes_within(item, self.implementation.shapes, self.drawn)
        return self._items.of(item, shapes)

    def rule(self, rule_id: str) -> Rule:
        """A rule of the specification."""
        return load_registry().rules[rule_id]

    def examiner(self, item: PlannedItem) -> Examiner:
        """Return a judge that leaves a mark of each scenario that is about to run."""
        return Examiner(
            self._engine(item),
            self.implementation,
            self.policies,
            deviations=self.known.deviation,
            drawn=self.drawn,
            about_to_run=lambda scenario: self._mark(item.id, scenario),
            kept=None if self.adapter.ahead else self._kept,
            known=self._items.known,
        )

    def _mark(self, item: str, scenario: str) -> None:
        """Leave a mark of a scenario. Its time limit applies to adapters of engines in this process only:
        other adapters may take a scenario long before they run it."""
        one_by_one = isinstance(own_adapter(self.adapter), ComponentAdapter)
        self.marker.about_to_run(item, scenario, self.request.scenario_seconds if one_by_one else 0)

    def close(self) -> None:
        """Close the engine. Raises `BadInput` if that fails; `adapter.not_closed` is the failure."""
        if self._call_ahead is not None:
            self._call_ahead.engine.close()
        self.adapter.close()

    def started(self) -> Started:
        """Return the first event of the journal. Raises `BadInput` if the engine lacks methods."""
        if not self.implementation.one_process:
            components = {item.component for item in self.planned}
            check_methods(self.request.adapter, self.adapter, components, self.policies, self.drawn)
        return Started(
            request=self.request,
            profile=self.profile.name,
            own_profile=self.profile.own,
            implementation=self.implementation,
            environment=environment(),
            planned=tuple(item.id for item in self.planned),
            time=datetime.now(UTC).isoformat(timespec="seconds"),
            known=self.known,
            drawn=self.drawn,
        )

    def refusal(self, item: PlannedItem) -> list[tuple[Scenario, Failure]] | None:
        """Return the failures of the engine if it answers no scenario of the preflight of the item's
        component; None if it answers at least one. Each process runs a preflight once."""
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
        """Return the adapter that runs the scenarios of an item."""
        if self._call_ahead is None:
            return self.adapter
        self._call_ahead.reach(item.component)
        return self._call_ahead.engine

    @cached_property
    def _call_ahead(self) -> CallAhead | None:
        if not self.adapter.ahead or not self.opening.calls_ahead:
            return None
        engine = AnswersAhead(self.adapter, self.opening.item_seconds * _PATIENCE)
        examiner = Examiner(
            engine,
            self.implementation,
            self.policies,
            deviations=self.known.deviation,
            drawn=self.drawn,
        )
        return CallAhead(self.left, self.request, examiner, engine)

    @cached_property
    def _items(self) -> DrawnItems:
        return DrawnItems(self.request, self.policies, scenario_cache())

    @cached_property
    def _kept(self) -> KeptAnswers:
        return KeptAnswers()

    @cached_property
    def _refusals(self) -> dict[str, list[tuple[Scenario, Failure]] | None]:
        return {}


def make_run(opening: RunOpening, marker: Marker) -> Run:
    """Load the engine and plan the run that a request describes. Raises `BadInput`."""
    request = checked(opening.request)
    adapter = load_adapter(request.adapter, request.options)
    implementation = describe(request.adapter, adapter)
    known = deviations_of(request.deviations, implementation.deviations)
    profile = chosen_profile(request.profile, implementation)
    policies = profile.policies
    claimed = implementation.capabilities
    implementation = under_profile(profile, implementation)
    if not components_asked_for(request, implementation):
        why = _why_nothing(claimed, implementation.capabilities, profile.name)
        raise BadInput(f"adapter {request.adapter!r} claims {why}")
    drawn = drawn_shapes(adapter, implementation)
    planned = plan(request, replace(implementation, shapes=drawn), policies)
    with_deviations(policies, known.deviation)
    return Run(
        opening=replace(opening, request=request),
        adapter=adapter,
        implementation=implementation,
        profile=profile,
        planned=planned,
        known=known,
        drawn=drawn,
        marker=marker,
    )


def _why_nothing(claimed: Sequence[str], present: Sequence[str], profile: str) -> str:
    """Return why no claim of an engine can be judged, with the remedy."""
    if not claimed:
        return "nothing: give it the method of a component, such as `valve`"
    if not present:
        return f"{', '.join(claimed)}, which the profile {profile} does not have: choose another profile"
    return f"{', '.join(present)}, and none of that is chosen: choose other rules or components"


def environment() -> dict[str, str]:
    """Return the versions, the platform and the number of CPUs of this run."""
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
