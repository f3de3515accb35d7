"""Flink's own tests of its source operator: alignment, alignment of splits, event time (`scenarios.jsonl`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import flink_facts
import pytest
from flink_source import Outputs, Task, settings

from tidegauge_reference import CORE, FLINK_2_3, MAX, MIN, Policies, Unsupported
from tidegauge_reference.generators import Generator, NoWatermarks, Punctuated

Scenario = dict[str, Any]

ALIGNMENT = (
    *flink_facts.scenarios_of("source_operator_alignment"),
    *flink_facts.scenarios_of("source_operator_split_alignment"),
)
EVENT_TIME = flink_facts.scenarios_of("source_event_time")
ALL = (*ALIGNMENT, *EVENT_TIME)


class OddOnly(Generator):
    """Emits odd timestamps."""

    def on_event(self, timestamp: int) -> Outputs:
        return [("watermark", timestamp)] if timestamp % 2 else []


class MaximumSoFar(Generator):
    """Emits a new largest timestamp at once, and the largest again at each tick."""

    largest = MIN

    def on_event(self, timestamp: int) -> Outputs:
        rises, self.largest = timestamp > self.largest, max(timestamp, self.largest)
        return [("watermark", timestamp)] if rises else []

    def on_periodic_emit(self) -> Outputs:
        return [("watermark", self.largest)]


class LastAtTicks(Generator):
    """Emits the last timestamp at each tick."""

    last = MIN

    def on_event(self, timestamp: int) -> Outputs:
        self.last = timestamp
        return []

    def on_periodic_emit(self) -> Outputs:
        return [("watermark", self.last)]


GENERATORS: dict[str, Callable[[], Generator]] = {
    "punctuated_all": Punctuated,
    "test_on_event": Punctuated,
    "punctuated_odd": OddOnly,
    "max_so_far": MaximumSoFar,
    "test_periodic": LastAtTicks,
}


class Driver:
    """The task and the mock reader of a scenario, and what has been seen of them so far."""

    def __init__(self, setup: dict[str, Any], policies: Policies) -> None:
        reader = setup.get("reader", {})
        alignment = setup.get("alignment")
        progressive = setup.get("progressive", True)
        self.task = Task(
            settings(
                GENERATORS[setup["generator"]] if progressive else NoWatermarks,
                setup.get("idle_timeout_ms"),
                aligned=alignment is not None,
                can_pause=reader.get("supports_pause", True),
                allow_unaligned_splits=setup.get("allow_unaligned", False),
                buffer_size=setup.get("buffer_size", 0),
                start=setup.get("start_time_ms", 0),
            ),
            setup["auto_watermark_interval_ms"],
            alignment["update_interval_ms"] if alignment else None,
            policies,
        )
        self.operator = self.task.operator
        self.pause_after = setup.get("advance_ms_after_each_action", 0)
        self.per_split = reader.get("per_split_outputs", False)
        self.waits = reader.get("wait_for_no_more_splits", False)
        self.marks_idle = reader.get("mark_idle_when_empty", False)
        self.records: dict[str, list[int]] = {}
        self.finish_after: dict[str, int] = {}
        self.no_more = self.ends = False
        self.has_input = True
        self.paused: list[str] = []
        self.seen: Outputs = []
        self.status = ""
        self.error = ""
        self.do("add_splits", splits=setup.get("restored_splits", []))

    def do(self, word: str, /, **arguments: Any) -> None:
        """One `do` step."""
        try:
            outputs = getattr(self, f"_{word}")(**arguments) or []
        except Unsupported:
            self.error = "UnsupportedOperationException"
            return
        self._see(outputs)

    def _see(self, outputs: Outputs) -> None:
        self.seen += outputs
        for name, *fields in outputs:
            if name == "splits-paused":
                self.paused += fields[0]
            if name == "splits-resumed":
                self.paused = [split for split in self.paused if split not in fields[0]]

    def available(self) -> bool:
        """Whether the operator says that there may be input."""
        return not self.operator.alignment.blocked and self.has_input

    def _add_splits(self, splits: list[dict[str, Any]]) -> None:
        for split in splits:
            self.records[split["id"]] = [*split["records"]]
            self.finish_after[split["id"]] = split.get("finish_after", len(split["records"]) + 1)
            self.has_input = True
            self._see(self.task.assign(split["id"]))

    def _add_splits_before_start(self, ids: list[str]) -> None:
        for split in ids:
            self._see(self.task.assign(split))

    def _emit_next(self, split: str | None = None) -> Outputs:
        asks = self.task.poll()
        if self.ends:
            self.status = "END_OF_INPUT"
            return self.operator.end_of_input()
        self.status = "NOTHING_AVAILABLE"
        if not asks:
            return []
        ready = [name for name, left in self.records.items() if left and name not in self.paused]
        if split is not None:
            ready = [name for name in ready if name == split]
        return self._read(ready[0]) if ready else self._read_nothing()

    def _read(self, split: str) -> Outputs:
        self.status = "MORE_AVAILABLE"
        output = split if self.per_split else None
        outputs = self.operator.write(None, ("active",)) if self.marks_idle else []
        outputs += self.operator.record(output, self.records[split].pop(0))
        self.finish_after[split] -= 1
        if not self.finish_after[split]:
            del self.records[split]
            outputs += self.task.finish(split)
        return outputs

    def _read_nothing(self) -> Outputs:
        if not self.records and (self.no_more or not self.waits):
            self.status, self.ends = "END_OF_DATA", True
            return []
        self.has_input = any(self.records.values())
        return self.operator.write(None, ("idle",)) if self.marks_idle else []

    def _emit_next_from(self, split: str) -> Outputs:
        return self._emit_next(split)

    def _no_more_splits(self) -> None:
        self.no_more = True

    def _advance(self, ms: int) -> Outputs:
        return self.task.advance(ms, jump=True)

    def _set_time(self, ms: int) -> Outputs:
        return self.task.advance(ms - self.task.now, jump=True)

    def _alignment_event(self, max_watermark: int) -> Outputs:
        return self.operator.announcement(max_watermark)

    def _backpressure(self, kind: str, on: bool) -> Outputs:
        assert kind in ("hard", "soft")
        return self.operator.backpressure(on)

    def _split_mark_idle(self, split: str) -> Outputs:
        return self.operator.write(split, ("idle",))

    def _split_mark_active(self, split: str) -> Outputs:
        return self.operator.write(split, ("active",))

    def _reader_action(self, action: str, split: str | None = None, ts: int = MIN) -> Outputs:
        return self._reader_actions([[action, split, ts]])

    def _reader_actions(self, actions: list[list[Any]]) -> Outputs:
        self.task.poll()
        outputs: Outputs = []
        for action, *arguments in actions:
            split, timestamp = [*arguments, MIN][:2]
            if split is not None and action != "release_split":
                outputs += self.task.assign(split)
            if action.endswith("_collect"):
                outputs += self.operator.record(split, timestamp)
            elif action.endswith("_idle"):
                outputs += self.operator.write(split, ("idle",))
            elif action == "release_split":
                outputs += self.task.finish(split)
            else:
                assert action == "create_split"
        return outputs + self.task.advance(self.pause_after)

    def _end_of_input(self) -> None:
        """The task's own `MAX` is no part of these tests."""
        self.operator.end_of_input()

    def _repeat(self, times: int, steps: list[Any]) -> None:
        for _ in range(times):
            self._all(steps)

    def _while_available(self, steps: list[Any]) -> None:
        while self.available():
            self._all(steps)

    def _while_more_available(self, steps: list[Any]) -> None:
        self.status = "MORE_AVAILABLE"
        while self.status == "MORE_AVAILABLE":
            self._all(steps)

    def _all(self, steps: list[Any]) -> None:
        for step in steps:
            self.do(step["do"], **step["args"])

    def expected(self, name: str, wanted: Any) -> Any:
        """What is seen of the kind `name` that a scenario expects, in the form of `wanted`."""
        timestamps = {kind: [f[0] for n, *f in self.seen if n == kind] for kind in ("record", "watermark")}
        watermarks = timestamps["watermark"]
        reports = [fields[0] for name, *fields in self.seen if name == "report"]
        ways: dict[str, Callable[[], Any]] = {
            "status": lambda: self.status,
            "error": lambda: self.error,
            "available": self.available,
            "latest_reported": lambda: reports[-1],
            "reported_count": lambda: len(reports),
            "records": lambda: timestamps["record"],
            "watermarks": lambda: watermarks,
            "events": lambda: [
                ["status", name.upper()] if name in ("idle", "active") else [name, *fields]
                for name, *fields in self.seen
                if name in ("idle", "active", "record", "watermark")
            ],
            "paused_splits": lambda: self.paused,
            "contains_idle": lambda: ("idle",) in self.seen,
            "any_watermark": lambda: watermarks != [],
            "contains_watermark": lambda: wanted if wanted in watermarks else watermarks,
            "max_watermark_at_most": lambda: wanted if max(watermarks) <= wanted else watermarks,
            "split_state": lambda: {split: self._state_of(split) for split in wanted},
            "split_known": lambda: {split: split in self.operator.assigned for split in wanted},
        }
        return ways[name]()

    def _state_of(self, split: str) -> str:
        if split in self.paused:
            return "paused"
        part = self.operator.splits.parts.get(split)
        return "idle" if part is not None and part.idle else "active"


STOPPED = "source_operator_alignment-005"
"""Its last step stops the job with a savepoint: an affair of the runtime, which is no part of the chapter."""


def first_unmet(scenario: Scenario, policies: Policies) -> str | None:
    """Which expectation of a scenario the reference does not meet; None: it meets all."""
    driver = Driver(scenario["setup"], policies)
    for number, step in enumerate(scenario["steps"]):
        if "do" in step and step["do"] == "stop":
            assert scenario["id"] == STOPPED
            assert number == len(scenario["steps"]) - 2
            return None
        if "do" in step:
            driver.do(step["do"], **step["args"])
            if driver.error and "error" not in scenario["steps"][number + 1].get("expect", {}):
                return f"step {number}: {driver.error}"
            continue
        for name, wanted in step["expect"].items():
            if (seen := driver.expected(name, wanted)) != wanted:
                return f"step {number}: expected {name} {wanted}, got {seen}"
    return None


RELEASED = [scenario for scenario in ALL if scenario["applies_to"] == "2.3.0"]
CORRECTED = [scenario for scenario in ALL if scenario["applies_to"] == "post-2.3.0:FLINK-40093"]
OLD = {"source_operator_split_alignment-003": "what releases before 2.3.0 did (FLINK-38454)"}
OPEN = {"source_event_time-012": "an open proposal: ACTIVE after the record; `core` has it before (Q14)"}


def test_all_of_them_are_here_and_say_where_they_apply() -> None:
    assert (len(ALIGNMENT), len(EVENT_TIME)) == (27, 14)
    assert (len(RELEASED), len(CORRECTED)) == (38, 1)
    others = {scenario["id"] for scenario in ALL if scenario not in RELEASED + CORRECTED}
    assert others == OLD.keys() | OPEN.keys()


@pytest.mark.parametrize("scenario", RELEASED, ids=lambda scenario: str(scenario["id"]))
def test_what_holds_on_the_release_holds_under_its_profile(scenario: Scenario) -> None:
    assert first_unmet(scenario, FLINK_2_3) is None


@pytest.mark.parametrize("scenario", CORRECTED, ids=lambda scenario: str(scenario["id"]))
def test_what_was_corrected_after_the_release_holds_under_core_only(scenario: Scenario) -> None:
    assert first_unmet(scenario, CORE) is None
    assert first_unmet(scenario, FLINK_2_3) is not None


def test_of_the_open_proposal_core_has_the_active_only_earlier() -> None:
    (scenario,) = (scenario for scenario in EVENT_TIME if scenario["id"] in OPEN)
    (expectation,) = (step["expect"] for step in scenario["steps"] if "expect" in step)
    *before, record, active = expectation["events"]
    assert (record, active) == (["record", 150], ["status", "ACTIVE"])
    steps = [step for step in scenario["steps"] if "do" in step]
    changed = {**scenario, "steps": [*steps, {"expect": {"events": [*before, active, record]}}]}
    assert first_unmet(changed, CORE) is None
    assert first_unmet(scenario, FLINK_2_3) is not None


def test_what_older_releases_did_holds_nowhere() -> None:
    (scenario,) = (scenario for scenario in ALIGNMENT if scenario["id"] in OLD)
    assert first_unmet(scenario, FLINK_2_3) is not None
    assert first_unmet(scenario, CORE) is not None


def test_a_wrong_expectation_is_noticed() -> None:
    for scenario in RELEASED:
        steps = scenario["steps"]
        *_, (number, name, wanted) = (
            (number, name, wanted)
            for number, step in enumerate(steps)
            for name, wanted in step.get("expect", {}).items()
            if not any(earlier.get("do") == "stop" for earlier in steps[:number])
        )
        changed = {**scenario, "steps": [*steps[:number], {"expect": {name: wrong_for(name, wanted)}}]}
        assert first_unmet(changed, FLINK_2_3) is not None, scenario["id"]


def wrong_for(name: str, wanted: Any) -> Any:
    """Something else than is wanted, where one can be as wrong."""
    if isinstance(wanted, bool):
        return not wanted
    if isinstance(wanted, dict):
        return dict.fromkeys(wanted, "another")
    return {"contains_watermark": 12345, "max_watermark_at_most": MIN}.get(name, [wanted, MAX])
