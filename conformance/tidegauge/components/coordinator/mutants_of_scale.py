"""Faulty source coordinators that only scenarios of scale detect."""

from typing import Any

from tidegauge_reference.choices import latest, smallest
from tidegauge_reference.citation import cite
from tidegauge_reference.timestamps import MAX, MIN, later

from ...mutants.mutant import Mutant, at_scale


def _groups_without_case(self: Any, source: str) -> Any:
    own = self._known(source)
    key = None if own.group is None else own.group.casefold()
    groups = {name: known.group and known.group.casefold() for name, known in self.sources.items()}
    group = [name for name in self.passed_on if not cite("ALIGN-3", groups[name] != key)]
    if cite("ALIGN-10", not group and not own.reports):
        return []
    bound = later(self._group_minimum(group), own.drift)
    to_reporters = self.policies.align_announced_subtasks == "reported"
    told = own.running.intersection(own.reports) if to_reporters else own.running
    receivers = [subtask for subtask in range(own.subtasks) if cite("ALIGN-9", subtask in told)]
    return [("announcement", bound, f"{source}/{subtask}") for subtask in receivers]


def _minimum_as_a_double(self: Any, group: list[str]) -> Any:
    names = [self.sources[source].name for source in group]
    minima: dict[Any, int] = {}
    for source, name in zip(group, names, strict=True):
        apart = self.policies.align_source_key == "identity" and names.count(name) > 1
        minima[name, source if cite("ALIGN-12", apart) else None] = self._minimum(source)
    smallest_of_group = smallest("ALIGN-2", minima.values(), default=MIN)
    return smallest_of_group if smallest_of_group in (MIN, MAX) else int(float(smallest_of_group))


def _running_in_one_word(self: Any, source: str, subtask: int) -> None:
    own = self._known(source, subtask)
    cite("ALIGN-11")
    self.sources[source] = own._replace(running=own.running - {*range(subtask % 64, own.subtasks, 64)})
    if self.policies.align_failed_subtask == "forgotten":
        self._forget(source, subtask)


def _stuck_after_64(self: Any, source: str, subtask: int, watermark: int) -> None:
    own = self._aligned(source, subtask)
    if self.policies.align_report_of_min == "ignored" and cite("ALIGN-6", watermark == MIN):
        return
    watermark = latest("ALIGN-8", own.reports.get(subtask, watermark), watermark)
    same = vars(self).setdefault("same", {})
    again = own.reports.get(subtask) == watermark
    same[source, subtask] = same.get((source, subtask), 0) + 1 if again else 0
    reports = own.reports | {subtask: watermark}
    self.sources[source] = own._replace(reports=reports)
    before, minimum = min(own.reports.values(), default=MIN), min(reports.values())
    if minimum != before or self.policies.align_group_update == "each-report":
        self.passed_on.pop(source, None)
        self.passed_on[source] = minimum


def _without_the_stuck(self: Any, source: str) -> Any:
    own, same = self.sources[source], vars(self).get("same", {})
    if min(own.reports.values(), default=MIN) == MIN:
        return self.passed_on[source]
    reported = [
        watermark
        for subtask, watermark in own.reports.items()
        if not cite("ALIGN-6", watermark == MIN) and same.get((source, subtask), 0) < 64
    ]
    counting = [watermark for watermark in reported if not cite("ALIGN-7", watermark == MAX)]
    return smallest("ALIGN-1", counting)


COORDINATOR_MUTANTS_OF_SCALE = (
    at_scale(
        "names",
        Mutant(
            "coordinator-groups-without-case",
            "coordinator",
            "coordinator",
            ("ALIGN-3",),
            "names in lower case",
            "Groups are merged if their names differ only in case.",
            functions=(("Coordinators.announce", _groups_without_case),),
        ),
    ),
    at_scale(
        "apart-2-53",
        Mutant(
            "coordinator-minimum-as-a-double",
            "coordinator",
            "coordinator",
            ("ALIGN-2",),
            "doubles for whole numbers",
            "The minimum of a group is a double, which is exact only up to 2^53.",
            functions=(("Coordinators._group_minimum", _minimum_as_a_double),),
        ),
    ),
    at_scale(
        "65-subtasks",
        Mutant(
            "coordinator-running-in-one-word",
            "coordinator",
            "coordinator",
            ("ALIGN-9",),
            "a shift by more than a word",
            "The failure of a subtask also marks the subtasks with the same number modulo 64 as failed.",
            functions=(("Coordinators.failed", _running_in_one_word),),
        ),
    ),
    at_scale(
        "repeated",
        Mutant(
            "coordinator-stuck-after-64",
            "coordinator",
            "coordinator",
            ("ALIGN-1",),
            "a watchdog",
            "A subtask that repeats a report 64 times is excluded until it reports another watermark.",
            functions=(
                ("Coordinators.report", _stuck_after_64),
                ("Coordinators._minimum", _without_the_stuck),
            ),
        ),
    ),
)
