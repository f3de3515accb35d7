"""Recordings of Flink's SourceOperator (`srcop`); `data/flink/README.md` has their words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import flink_facts
import pytest
from flink_source import Outputs, Task, settings

from tidegauge_reference import CORE, FLINK_2_3, Policies, Unsupported
from tidegauge_reference.generators import BoundedOutOfOrderness, Generator, NoWatermarks, Punctuated

Words = list[list[Any]]

STATUSES = {"idle": ("idle",), "active": ("active",)}
END = "from END_OF_INPUT on a task has stopped its timers; the recorder's still emit watermarks, pause splits"
AGAIN = "a split that finished while it was paused comes again: Flink has kept the pause and lost its clock"
FAILED = "the reader cannot pause: the task has failed, the recorder goes on with what is left"


class Recorder:
    """The reference's subtask, driven by the steps of the recordings."""

    def __init__(self, trace: flink_facts.Trace, policies: Policies) -> None:
        self.progressive = trace.get("progressive", True)
        self.task = Task(
            settings(
                generator_of(trace) if self.progressive else NoWatermarks,
                trace["idle_ms"] if self.progressive else None,
                aligned=trace["drift_ms"] is not None,
                can_pause=trace["pausable"],
                allow_unaligned_splits=trace["allow_unaligned"],
                buffer_size=trace["buf"],
                start=trace["t0"],
            ),
            trace["auto_wm_ms"] if self.progressive else 0,
            None if trace["drift_ms"] is None else trace["interval_ms"],
            policies,
        )
        self.operator = self.task.operator
        self.no_more = False
        self.finished_paused: set[str] = set()
        self.came_again = False

    def outputs_of(self, step: list[Any]) -> Outputs:
        """One recorded step. The reader makes the output of a split that it does not have yet."""
        kind, *arguments = step
        if kind in ("rec", "swm", "sidle", "sact"):
            split = arguments[0]
            if not self.task.poll() or (kind != "rec" and not self.progressive):
                return []
            if split is not None:
                self.assign(split)
            if kind == "rec":
                return self.operator.record(*arguments)
            written = {"swm": ("watermark", *arguments[1:]), "sidle": ("idle",), "sact": ("active",)}[kind]
            return self.operator.write(split, written)
        if kind == "split":
            return self.assign(*arguments)
        if kind == "fin":
            self.finished_paused |= self.operator.alignment.paused & {*arguments}
            return self.task.finish(*arguments)
        if kind == "end":
            self.no_more = self.task.poll()
            return []
        if kind == "none":
            self.task.poll()
            if self.operator.finished:
                return self.operator.report()
            return self.operator.end_of_input() if self.no_more else []
        calls: dict[str, Callable[..., Outputs]] = {
            "adv": self.task.advance,
            "align": self.operator.announcement,
            "bp": self.operator.backpressure,
        }
        return calls[kind](*arguments) if kind in calls else []

    def assign(self, split: str) -> Outputs:
        """A split comes, perhaps again."""
        self.came_again |= split in self.finished_paused
        return self.task.assign(split)


def generator_of(trace: flink_facts.Trace) -> Callable[[], Generator]:
    """What makes the generators of a trace; Flink's bound is in whole ms."""
    kind, *bound = trace["gen"]
    seconds, nanoseconds = bound[0] if bound else (0, 0)
    makers: dict[str, Callable[[], Generator]] = {
        "boo": lambda: BoundedOutOfOrderness(seconds * 1000 + nanoseconds // 10**6),
        "asc": lambda: BoundedOutOfOrderness(0),
        "punct": Punctuated,
        "none": NoWatermarks,
    }
    return makers[kind]


def given(outputs: Outputs) -> dict[str, Any]:
    """What the reference outputs, by receiver, in the words of the recordings."""
    words = {"record": "rec", "watermark": "w"}
    return {
        "downstream": [
            [words[name], *fields] if name in words else ["s", name]
            for name, *fields in outputs
            if name in words or name in STATUSES
        ],
        "coordinator": [fields[0] for name, *fields in outputs if name == "report"],
        "reader": runs(
            (name, split)
            for name, *fields in outputs
            if name in ("splits-paused", "splits-resumed")
            for split in fields[0]
        ),
    }


def recorded(outputs: Words) -> dict[str, Any]:
    """Flink's recorded answer to one step, by receiver."""
    return {
        "downstream": [output for output in outputs if output[0] in ("rec", "w", "s")],
        "coordinator": [output[1] for output in outputs if output[0] == "rep"],
        "reader": runs(
            (name, split)
            for output in outputs
            if output[0] == "pr"
            for name, splits in (("splits-paused", output[1]), ("splits-resumed", output[2]))
            for split in splits
        ),
    }


def runs(calls: Any) -> list[tuple[str, set[str]]]:
    """Splits that are paused, or resumed, one directly after the other; Flink calls its reader for each."""
    found: list[tuple[str, set[str]]] = []
    for name, split in calls:
        if not found or found[-1][0] != name:
            found.append((name, set()))
        found[-1][1].add(split)
    return found


def compare(trace: flink_facts.Trace, policies: Policies) -> tuple[int, str | None, str | None]:
    """How many steps were compared, why no more (None: all), and the first difference, if any."""
    recorder = Recorder(trace, policies)
    operator = recorder.operator
    waits = False
    for number, (step, outputs) in enumerate(zip(trace["steps"], trace["out"], strict=True)):
        where = f"{trace['id']}, step {number} {step}: Flink {outputs}, reference"
        refused = any(output[0] == "x" for output in outputs)
        try:
            answer = recorder.outputs_of(step)
        except Unsupported:
            return number, FAILED, None if refused else f"{where} refuses"
        if recorder.came_again:
            return number, AGAIN, None
        ours, theirs = given(answer), recorded(outputs)
        if operator.finished:
            if theirs["downstream"] or refused:
                return number, END, None
            ours, theirs = ({"coordinator": words["coordinator"]} for words in (ours, theirs))
        if refused or ours != theirs:
            return number, None, f"{where} {answer}"
        for output in outputs:
            waits = output[1] == "WAITING_FOR_ALIGNMENT" if output[0] == "mode" else waits
            if output[0] == "avail" and output[1] == waits and not operator.finished:
                return number, None, f"{where} waits: {waits}"
        if operator.alignment.blocked != waits:
            return number, None, f"{where} blocked: {operator.alignment.blocked}"
    return len(trace["steps"]), None, None


@cache
def traces() -> tuple[flink_facts.Trace, ...]:
    """All recordings."""
    return tuple(trace for file in flink_facts.corpus("srcop") for trace in flink_facts.traces_of(file))


def test_every_trace_is_reproduced() -> None:
    assert traces()
    differences = [found for trace in traces() if (found := compare(trace, FLINK_2_3)[2]) is not None]
    assert not differences, "\n".join(
        [f"{len(differences)} of {len(traces())} traces differ", *differences[:5]]
    )


@pytest.mark.skipif(not flink_facts.IS_OWN, reason="the numbers are those of the project's own recordings")
def test_what_is_not_compared_is_little_and_has_a_reason() -> None:
    answers = [compare(trace, FLINK_2_3) for trace in traces()]
    assert Counter(reason for _, reason, _ in answers) == {None: 920, END: 48, AGAIN: 6, FAILED: 26}
    steps = sum(len(trace["steps"]) for trace in traces())
    compared = sum(number for number, _, _ in answers)
    assert (len(answers), steps, steps - compared) == (1000, 36568, 793)


def test_a_wrong_output_is_noticed() -> None:
    noticed: Counter[str] = Counter()
    for trace in traces()[:200]:
        for number, outputs in enumerate(trace["out"]):
            for place, (kind, *_) in enumerate(outputs):
                if kind in ("rec", "w", "s", "rep", "pr") and not noticed[kind]:
                    without = [*outputs[:place], *outputs[place + 1 :]]
                    wrong = {**trace, "out": [*trace["out"][:number], without, *trace["out"][number + 1 :]]}
                    noticed[kind] += compare(wrong, FLINK_2_3)[2] is not None
    assert set(noticed) == {"rec", "w", "s", "rep", "pr"}
    assert all(noticed.values())


@pytest.mark.parametrize(
    "policy",
    [
        "source_aligned_watermark",
        "source_bound_without_alignment",
        "source_idle_paused_split",
        "source_paused_split",
        "source_main_output",
        "idleness_ends_with",
        "split_none",
        "split_resumption",
    ],
)
def test_every_policy_of_the_profile_is_needed_to_reproduce_them(policy: str) -> None:
    policies = replace(FLINK_2_3, **{policy: getattr(CORE, policy)})
    assert any(compare(trace, policies)[2] is not None for trace in traces())


SPLITS_ONLY = {
    "k": "srcop",
    "id": "by hand",
    "buf": 0,
    "drift_ms": 0,
    "interval_ms": 1000,
    "gen": ["punct"],
    "auto_wm_ms": 10,
    "idle_ms": 15,
    "pausable": False,
    "allow_unaligned": True,
    "t0": 1,
    "steps": [["split", "a"], ["none"], ["rec", "a", 5], ["align", 4], ["adv", 60]],
    "out": [
        [],
        [["st", "NOTHING_AVAILABLE"], ["mode", "READING"]],
        [["rec", 5], ["w", 5], ["st", "MORE_AVAILABLE"]],
        [["mode", "WAITING_FOR_ALIGNMENT"]],
        [],
    ],
}
"""`facts/flink-2.3-semantics.md`, section 5: without support for pausing the clocks of splits are not paused
either, so that the split becomes idle although the operator waits."""


def test_the_clocks_of_splits_run_while_the_operator_waits_for_alignment() -> None:
    """No recording shows it: that would need a reader that cannot pause and is allowed to."""
    assert compare(SPLITS_ONLY, replace(FLINK_2_3, source_main_output="counts"))[2] is not None
    policies = replace(FLINK_2_3, source_main_output="counts", source_blocked_clocks="all")
    assert compare(SPLITS_ONLY, policies)[2] is None
