"""The properties of source coordinators: the reference has them, wrong coordinators do not."""

from __future__ import annotations

from typing import Any

import pytest
from component_scenarios import drawn
from engines import examiner_of
from judged import EFFORT

from tidegauge import ComponentAdapter
from tidegauge.components.property import Property
from tidegauge.components.registry import COMPONENTS, load_mutants
from tidegauge.engine.mutant_adapter import MutantAdapter
from tidegauge.judging.items.item_report import ItemReport
from tidegauge_reference import CORE, FLINK_2_3, Policies
from tidegauge_reference.coordinator import Coordinators

COORDINATOR = COMPONENTS["coordinator"]
PROPERTIES = {property.name: property for property in COORDINATOR.properties}

each_property = pytest.mark.parametrize("property", PROPERTIES.values(), ids=PROPERTIES)


class Under(ComponentAdapter):
    """The reference's coordinators under some policies."""

    extras = ("snapshot", "int64")

    def __init__(self, policies: Policies) -> None:
        super().__init__({})
        self.policies = policies

    def coordinator(self, setup: Any) -> Any:
        """The coordinators under test."""
        return COORDINATOR.reference(setup, self.policies)


class Forgetful(Under):
    """They come back from a snapshot without reports."""

    def coordinator(self, setup: Any) -> Any:
        class WithoutReports(Coordinators):
            def restore(self, saved: Any) -> None:
                super().restore((saved[0], ()))

        engine = COORDINATOR.reference(setup, CORE)
        engine.__class__ = WithoutReports
        return engine


def checked(property: Property, adapter: Any) -> ItemReport:
    """A property checked on drawn histories of an adapter's coordinators."""
    report = ItemReport("item", "coordinator")
    examiner = examiner_of(adapter, effort=EFFORT)
    examiner.check(report, property, examiner.applicable(drawn("coordinator", 800)))
    return report


@each_property
def test_a_property_holds_for_the_reference_and_its_situation_arises(property: Property) -> None:
    report = checked(property, Under(CORE))
    assert report.properties[property.name].checked >= 100
    assert report.properties[property.name].violated == 0


@each_property
def test_a_property_holds_under_the_other_profile_unless_it_needs_a_policy(property: Property) -> None:
    holds = all(getattr(FLINK_2_3, policy) == value for policy, value in property.holds_under.items())
    assert (checked(property, Under(FLINK_2_3)).properties[property.name].violated == 0) is holds


WRONG = {
    "coordinator-bound-within-drift": ("clamped", "alone", "fastest-subtask-counts", "forgets-the-failed"),
    "coordinator-one-announcement": ("announces-twice",),
    "coordinator-groups-isolated": ("one-group-for-all",),
    "coordinator-renamed": ("first-source-counts",),
    "coordinator-shift": ("announces-early", "wraps-round"),
}


def test_every_property_is_shown_to_fail() -> None:
    assert set(WRONG) | {"coordinator-snapshot-restore"} == set(PROPERTIES)


@pytest.mark.parametrize(("name", "mutant"), [(name, one) for name, ones in WRONG.items() for one in ones])
def test_a_property_is_violated_by_wrong_coordinators(name: str, mutant: str) -> None:
    wrong = MutantAdapter(load_mutants()[f"coordinator-{mutant}"], {})
    assert checked(PROPERTIES[name], wrong).properties[name].violated > 0


def test_coordinators_that_forget_their_reports_do_not_survive_a_restore() -> None:
    name = "coordinator-snapshot-restore"
    assert checked(PROPERTIES[name], Forgetful(CORE)).properties[name].violated > 0
