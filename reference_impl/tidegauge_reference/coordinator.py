"""ALIGN: the source coordinators of one job and what they announce."""

from typing import NamedTuple

from .choices import latest, smallest
from .citation import cite
from .errors import IllegalArgument
from .policies import CORE, Policies
from .timestamps import MAX, MIN, later


class Coordinator(NamedTuple):
    """One source's coordinator: its group (None: no alignment), its maximum allowed drift (ms), how many
    subtasks it has, which of them run, and their latest reports (ms)."""

    name: str
    group: str | None
    drift: int
    subtasks: int
    running: frozenset[int]
    reports: dict[int, int]

    def __hash__(self) -> int:
        return hash((self.name, self.group, self.drift, self.subtasks, self.running))


CoordinatorsState = tuple[tuple[tuple[str, Coordinator], ...], tuple[tuple[str, int], ...]]


class Coordinators:
    """The coordinators of a job's sources, by identity, and the minima (ms) passed on, the latest last. An
    argument that cannot be raises `IllegalArgument` (ALIGN-13). Only `announce` outputs something."""

    def __init__(self, policies: Policies = CORE) -> None:
        self.policies = policies
        self.sources: dict[str, Coordinator] = {}
        self.passed_on: dict[str, int] = {}

    def start(self, source: str, name: str, group: str | None, drift: int, subtasks: int) -> None:
        """A source begins, aligned if it has a group; its subtasks do not run yet."""
        _refuse(source in self.sources, f"source {source!r} has been started")
        _refuse(drift < 0, f"max_allowed_watermark_drift {drift} is negative")
        _refuse(subtasks < 1, f"subtasks must be at least 1, not {subtasks}")
        self.sources[source] = Coordinator(name, group, drift, subtasks, frozenset(), {})

    def report(self, source: str, subtask: int, watermark: int) -> None:
        """A subtask says which watermark (ms) it emitted last; `MAX`: do not wait for me."""
        own = self._aligned(source, subtask)
        if self.policies.align_report_of_min == "ignored" and cite("ALIGN-6", watermark == MIN):
            return
        watermark = latest("ALIGN-8", own.reports.get(subtask, watermark), watermark)
        reports = own.reports | {subtask: watermark}
        self.sources[source] = own._replace(reports=reports)
        before, minimum = min(own.reports.values(), default=MIN), min(reports.values())
        if minimum != before or self.policies.align_group_update == "each-report":
            # `passed_on` is in the order of the last change: this source goes to its end.
            self.passed_on.pop(source, None)
            self.passed_on[source] = minimum

    def finish(self, source: str, subtask: int) -> None:
        """A subtask has read all its records and gets no more."""
        cite("ALIGN-5")
        self.report(source, subtask, MAX)

    def ready(self, source: str, subtask: int) -> None:
        """A subtask runs and can be told its bound."""
        own = self._known(source, subtask)
        self.sources[source] = own._replace(running=own.running | {subtask})

    def failed(self, source: str, subtask: int) -> None:
        """A subtask does not run any more; also: it is put back to a checkpoint."""
        own = self._known(source, subtask)
        # Its report stays in force.
        cite("ALIGN-11")
        self.sources[source] = own._replace(running=own.running - {subtask})
        if self.policies.align_failed_subtask == "forgotten":
            self._forget(source, subtask)

    def restart(self, source: str) -> None:
        """The coordinator of a source is made anew, and all its subtasks are reset."""
        own = self._known(source)
        keeps = cite("ALIGN-11", self.policies.align_restarted_coordinator == "keeps-reports")
        self.sources[source] = own._replace(running=frozenset(), reports=own.reports if keeps else {})

    def announce(self, source: str) -> list[tuple[str, int, str]]:
        """An update interval of a source is over: its subtasks are told their bound (ms)."""
        own = self._known(source)
        group = [n for n in self.passed_on if not cite("ALIGN-3", self.sources[n].group != own.group)]
        if cite("ALIGN-10", not group and not own.reports):
            return []
        cite("ALIGN-4")
        minimum = self._group_minimum(group)
        bound = later(minimum, own.drift)
        to_reporters = self.policies.align_announced_subtasks == "reported"
        told = own.running.intersection(own.reports) if to_reporters else own.running
        receivers = [subtask for subtask in range(own.subtasks) if cite("ALIGN-9", subtask in told)]
        return [("announcement", bound, f"{source}/{subtask}") for subtask in receivers]

    def _forget(self, source: str, subtask: int) -> None:
        own = self.sources[source]
        left = {number: watermark for number, watermark in own.reports.items() if number != subtask}
        self.sources[source] = own._replace(reports=left)
        if own.reports and not left:
            self.passed_on.pop(source, None)

    def _group_minimum(self, group: list[str]) -> int:
        """The smallest minimum (ms) of the sources of a `group`; `MIN` without any."""
        names = [self.sources[source].name for source in group]
        minima: dict[tuple[str, str | None], int] = {}
        for source, name in zip(group, names, strict=True):
            apart = self.policies.align_source_key == "identity" and names.count(name) > 1
            # Under the other policy a source overwrites the minimum of its namesake.
            minima[name, source if cite("ALIGN-12", apart) else None] = self._minimum(source)
        return smallest("ALIGN-2", minima.values(), default=MIN)

    def _minimum(self, source: str) -> int:
        """The smallest report (ms) of the subtasks of a source that count; `MAX` without any."""
        own = self.sources[source]
        # A report of `MIN`, which counts under a policy only, leaves the minimum that was passed on last.
        if min(own.reports.values(), default=MIN) == MIN:
            return self.passed_on[source]
        subtasks = {*range(own.subtasks), *own.reports}
        reports = [own.reports.get(subtask, MIN) for subtask in subtasks]
        reported = [watermark for watermark in reports if not cite("ALIGN-6", watermark == MIN)]
        counting = [watermark for watermark in reported if not cite("ALIGN-7", watermark == MAX)]
        return smallest("ALIGN-1", counting)

    def _aligned(self, source: str, subtask: int) -> Coordinator:
        own = self._known(source, subtask if self.policies.align_unknown_subtask == "refused" else 0)
        _refuse(own.group is None, f"source {source!r} has no alignment")
        return own

    def _known(self, source: str, subtask: int = 0) -> Coordinator:
        _refuse(source not in self.sources, f"source {source!r} has not been started")
        own = self.sources[source]
        _refuse(not 0 <= subtask < own.subtasks, f"subtask {subtask} of source {source!r} does not exist")
        return own

    def state(self) -> CoordinatorsState:
        """All of the state, hashable: equal states behave alike from here on."""
        return tuple(sorted(self.sources.items())), tuple(self.passed_on.items())

    def restore(self, saved: CoordinatorsState) -> None:
        """Become the coordinators that `saved` was taken from."""
        cite("ALIGN-11")
        self.sources, self.passed_on = dict(saved[0]), dict(saved[1])

    reset = failed
    snapshot = state


def _refuse(wrong: bool, problem: str) -> None:
    if cite("ALIGN-13", wrong):
        raise IllegalArgument(f"{problem} (ALIGN-13)")
