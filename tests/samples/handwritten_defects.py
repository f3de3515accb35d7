"""Defects written by hand into conforming valves, coordinators and window operators: none is a mutant.

They are of the kinds that people write: two places changed together, a loop that stops early, stale entries, a wrong
key, something that a restore forgets.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from itertools import count
from pathlib import Path
from types import ModuleType

from right_engines import adapters

from tidegauge import Adapter

FOLDER = Path(adapters.__file__).parent

ADAPTERS = {
    "valve_from_history": "ValveFromHistory",
    "valve_with_heaps": "ValveWithHeaps",
    "valve_by_tables": "ValveByTables",
    "coordinator_from_log": "CoordinatorFromLog",
    "coordinator_with_sorted_reports": "CoordinatorWithSortedReports",
    "coordinator_with_tournaments": "CoordinatorWithTournaments",
    "windows_from_records": "WindowFromRecords",
    "windows_with_timers": "WindowWithTimers",
    "windows_of_slices": "WindowOfSlices",
}
"""The adapter of each module."""

_NUMBERS = count(1)


@dataclass(frozen=True)
class Defect:
    """What is `wrong` in the right engine of `module`, and the `replacements` of its text that make it so."""

    name: str
    module: str
    wrong: str
    replacements: tuple[tuple[str, str], ...]

    @property
    def component(self) -> str:
        """The component that the engine is."""
        kind = self.module.partition("_")[0]
        return "window" if kind == "windows" else kind

    def adapter(self) -> Adapter:
        """The engine with the defect. Raises `ValueError` where a text does not occur exactly once."""
        text = (FOLDER / f"{self.module}.py").read_text()
        for old, new in self.replacements:
            if text.count(old) != 1:
                raise ValueError(f"{self.name}: {text.count(old)} times in {self.module}: {old!r}")
            text = text.replace(old, new)
        changed = _copy(self.module, text)
        bound = _copy("adapters", (FOLDER / "adapters.py").read_text())
        for name, value in list(vars(bound).items()):
            if getattr(value, "__module__", None) == f"right_engines.{self.module}":
                setattr(bound, name, getattr(changed, value.__name__))
        adapter_class: type[Adapter] = getattr(bound, ADAPTERS[self.module])
        return adapter_class({})


def _copy(name: str, text: str) -> ModuleType:
    """Another copy of a module of the right engines, with this text."""
    copy_name = f"right_engines.{name}_{next(_NUMBERS)}"
    spec = spec_from_file_location(copy_name, FOLDER / f"{name}.py")
    assert spec is not None
    module = module_from_spec(spec)
    sys.modules[copy_name] = module  # dataclasses look their own module up
    exec(compile(text, copy_name, "exec"), module.__dict__)
    return module


DEFECTS = (
    Defect(
        "last-idle-for-largest",
        "valve_by_tables",
        "When all are idle the watermark of the last channel is taken for the largest.",
        (("return max(having(IDLE))", "return having(IDLE)[-1]"),),
    ),
    Defect(
        "level-is-ahead",
        "valve_by_tables",
        "In two places a channel must be ahead of the output to be level with it.",
        (
            ('"level" if timestamp >= self._state.output', '"level" if timestamp > self._state.output'),
            (
                "level = self._watermark(channel) >= self._state.output",
                "level = self._watermark(channel) > self._state.output",
            ),
        ),
    ),
    Defect(
        "restore-forgets-idle",
        "valve_by_tables",
        "A restored valve believes that downstream was not told that it is idle.",
        (("State(*saved)", "State(*saved)._replace(idle=False)"),),
    ),
    Defect(
        "former-span-skipped",
        "valve_from_history",
        "The watermarks of the span of activity before the current one are not counted.",
        (("for span in spans[:-1] for", "for span in spans[:-2] for"),),
    ),
    Defect(
        "first-status-counts",
        "valve_from_history",
        "The first status that was said is taken for the last one.",
        (("statuses[-1:]", "statuses[:1]"),),
    ),
    Defect(
        "short-memory",
        "valve_from_history",
        "Only the last three things that were said are kept.",
        (("self._said += saying", "self._said = [*self._said, *saying][-3:]"),),
    ),
    Defect(
        "third-channel-skipped",
        "valve_from_history",
        "The loop over three channels or more leaves out the last.",
        (
            (
                "map(derived, self._histories)",
                "map(derived, self._histories[: max(2, len(self._histories) - 1)])",
            ),
        ),
    ),
    Defect(
        "stale-minimum",
        "valve_with_heaps",
        "A stale entry of the smallest watermarks is believed if its channel is aligned.",
        (("in self._aligned and self._watermarks[channel] == watermark:", "in self._aligned:"),),
    ),
    Defect(
        "restore-keeps-heaps",
        "valve_with_heaps",
        "A restored valve keeps the heaps of the new one.",
        (("map(set, members)\n        self._fill_heaps()", "map(set, members)"),),
    ),
    Defect(
        "refilled-upside-down",
        "valve_with_heaps",
        "Where the heap of the largest watermarks is filled, it has them without their sign turned.",
        (("[(-self._watermarks[channel], channel)", "[(self._watermarks[channel], channel)"),),
    ),
    Defect(
        "whole-slides-only",
        "windows_from_records",
        "The loop over the windows of a record ends early where the size is no multiple of the slide.",
        (
            (
                "while start + self.size > record.timestamp:",
                "whole = max(1, self.size // self.slide) * self.slide\n"
                "            while start + self.size > record.timestamp and start + whole > record.timestamp:",
            ),
        ),
    ),
    Defect(
        "chains-by-arrival",
        "windows_from_records",
        "Sessions are chained in the order in which the records came.",
        (("for record in sorted(records):", "for record in records:"),),
    ),
    Defect(
        "discards-the-last-result-only",
        "windows_from_records",
        "A discarding window remembers what it told last, and not what it told before.",
        (
            (
                "            if not self._discarding:\n                self._standing = ",
                "            self._standing = ",
            ),
        ),
    ),
    Defect(
        "restore-forgets-results",
        "windows_from_records",
        "A restore forgets which results stand.",
        (("self._kept, self._standing = saved", "self._kept, _ = saved"),),
    ),
    Defect(
        "slices-not-cut-at-ends",
        "windows_of_slices",
        "Time is cut where windows start only: a slice may reach over the end of a window.",
        (("timestamp - min(into_window, after_an_end)", "timestamp - into_window"),),
    ),
    Defect(
        "joins-one-session",
        "windows_of_slices",
        "A record that touches two sessions is joined with the first.",
        (
            (
                "for touched in self._touched(entry[1]) for one",
                "for touched in self._touched(entry[1])[:1] for one",
            ),
        ),
    ),
    Defect(
        "said-one-too-few",
        "windows_of_slices",
        "The number of the last record in a result is one too small.",
        (("self._said[window] = self._arrived", "self._said[window] = self._arrived - 1"),),
    ),
    Defect(
        "set-of-values",
        "windows_with_timers",
        "The values of a window are a set: equal ones count once.",
        (
            (
                "            insort(self._panes[key].values, value)\n",
                "            if value not in self._panes[key].values:\n"
                "                insort(self._panes[key].values, value)\n",
            ),
        ),
    ),
    Defect(
        "merge-overwrites-said",
        "windows_with_timers",
        "Merging sessions keeps what the last of them has said.",
        (("[result for pane in panes for result in pane.said]", "panes[-1].said"),),
    ),
    Defect(
        "restore-skips-fired",
        "windows_with_timers",
        "A restore leaves out the windows that have fired and wait for late records.",
        (
            (
                "        for key, pane in panes.items():\n            self._open(key, pane)",
                "        for key, pane in panes.items():\n            if key[1] - 1 > self._time:\n"
                "                self._open(key, pane)",
            ),
        ),
    ),
    Defect(
        "reports-by-subtask",
        "coordinator_from_log",
        "The last reports are kept by the number of the subtask: two sources share a place.",
        (("(event.source, event.subtask): event.watermark", "event.subtask: event.watermark"),),
    ),
    Defect(
        "log-is-cut",
        "coordinator_from_log",
        "The log keeps eight events.",
        (("self._log.append(event)", "self._log = [*self._log, event][-8:]"),),
    ),
    Defect(
        "restart-spares-the-last",
        "coordinator_from_log",
        "The loop over the subtasks at a restart leaves out the last.",
        (("range(self._started(source).subtasks)]", "range(self._started(source).subtasks - 1)]"),),
    ),
    Defect(
        "log-is-a-set",
        "coordinator_from_log",
        "What is in the log already is not written again: where something becomes again what it was is lost.",
        (("self._log.append(event)", "self._log = list(dict.fromkeys([*self._log, event]))"),),
    ),
    Defect(
        "old-report-stays-at-a-fall",
        "coordinator_with_sorted_reports",
        "Only a report that rises takes the old one out of the sorted list.",
        (("if who in self._reports:", "if watermark > self._reports.get(who, MAX):"),),
    ),
    Defect(
        "restore-does-not-sort",
        "coordinator_with_sorted_reports",
        "A restore puts the reports into the list unsorted.",
        (
            (
                "insort(self._sorted[self._groups[source]], watermark)",
                "self._sorted[self._groups[source]].append(watermark)",
            ),
        ),
    ),
    Defect(
        "smallest-drift-of-all",
        "coordinator_with_sorted_reports",
        "In two places the smallest drift of all sources stands for that of the source.",
        (
            ("MAX - self._drifts[source]", "MAX - min(self._drifts.values())"),
            ("in_order[0] + self._drifts[source]", "in_order[0] + min(self._drifts.values())"),
        ),
    ),
    Defect(
        "final-not-played",
        "coordinator_with_tournaments",
        "The loop up the tree ends before the final if it comes from the left.",
        (("while place > 1:", "while place > 2:"),),
    ),
    Defect(
        "finish-plays-no-match",
        "coordinator_with_tournaments",
        "The end of a subtask is written into its leaf, and no match is played again.",
        (
            (
                "self._aligned(source, subtask).heard(subtask, MAX)",
                "own = self._aligned(source, subtask)\n"
                "        own.has_reported, own._tree[own.subtasks + subtask] = True, MAX",
            ),
        ),
    ),
    Defect(
        "restart-clears-the-tree",
        "coordinator_with_tournaments",
        "A restart forgets the reports, but not that there were some.",
        (
            (
                "self._of(source).running = 0",
                "self._of(source).running = 0\n        self._of(source)._tree = [MAX] * len(self._of(source)._tree)",
            ),
        ),
    ),
)
