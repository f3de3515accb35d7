"""Generators, strategies and the operator in mid-pipeline answer as Apache Flink 2.3.0 did."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from flink_facts import IS_OWN, Trace, corpus, scenarios_of, traces_of

from tidegauge_reference import FLINK_2_3, MIN, IllegalArgument
from tidegauge_reference.generators import Generator
from tidegauge_reference.idleness import WatermarksWithIdleness
from tidegauge_reference.strategy import WatermarkedInput, WatermarkStrategy

FILES = corpus("gen")


def milliseconds(duration: list[int] | None) -> int | None:
    """A Java `Duration` as it was recorded: seconds and nanoseconds."""
    return None if duration is None else duration[0] * 1000 + duration[1] // 10**6


def recorded_strategy(generator: list[Any]) -> WatermarkStrategy:
    """The strategy of a recorded generator."""
    kind, *arguments = generator
    if kind == "boo":
        return WatermarkStrategy.for_bounded_out_of_orderness(milliseconds(arguments[0]))
    if kind == "asc":
        return WatermarkStrategy.for_monotonous_timestamps()
    return {
        "punct": WatermarkStrategy.for_generator("punctuated"),
        "none": WatermarkStrategy.no_watermarks(),
    }[kind]


def first_difference(trace: Trace) -> str | None:
    """Where the reference departs from a trace; None: nowhere."""
    try:
        generator = recorded_strategy(trace["gen"]).create_generator(None, FLINK_2_3)
    except IllegalArgument:
        return None if "ctor" in trace else f"{trace['id']}: refused"
    if "ctor" in trace:
        return f"{trace['id']}: Flink {trace['ctor']}"
    for number, (step, outputs) in enumerate(zip(trace["steps"], trace["out"], strict=True)):
        made = generator.on_event(step[1]) if step[0] == "ev" else generator.on_periodic_emit()
        if [["w", timestamp] for _, timestamp in made] != outputs:
            return f"{trace['id']}, step {number} {step}: Flink {outputs}, reference {made}"
    return None


def test_the_corpus_is_there() -> None:
    assert FILES
    assert not IS_OWN or sum(len(traces_of(file)) for file in FILES) == 1000


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name.partition(".")[0])
def test_every_trace_is_reproduced(file: Any) -> None:
    traces = traces_of(file)
    differences = [found for trace in traces if (found := first_difference(trace)) is not None]
    assert not differences, "\n".join(
        [f"{len(differences)} of {len(traces)} traces differ", *differences[:5]]
    )


def test_a_wrong_output_and_a_wrong_refusal_are_noticed() -> None:
    traces = traces_of(FILES[0])
    played = next(trace for trace in traces if "out" in trace)
    assert "step 0" in str(first_difference({**played, "out": [[["w", 77]], *played["out"][1:]]}))
    assert first_difference({**played, "ctor": "Error"}) is not None
    refused = next(trace for trace in traces if "ctor" in trace)
    del refused["ctor"]
    assert "refused" in str(first_difference(refused))


def own_tests(component: str) -> Any:
    """Flink's own tests of a component, as parameters."""
    found = scenarios_of(component)
    return pytest.mark.parametrize("scenario", found, ids=[scenario["id"] for scenario in found])


def test_all_of_flinks_own_tests_are_here_and_hold_for_2_3() -> None:
    components = ("watermark_generators", "watermark_strategy", "timestamps_and_watermarks_operator")
    assert [len(scenarios_of(component)) for component in components] == [11, 14, 12]
    applies = {scenario["applies_to"] for component in components for scenario in scenarios_of(component)}
    assert applies == {"2.3.0"}


BASES = {
    "ascending_timestamps": lambda setup: WatermarkStrategy.for_monotonous_timestamps(),
    "bounded_out_of_orderness": lambda setup: WatermarkStrategy.for_bounded_out_of_orderness(
        setup["max_out_of_orderness_ms"]
    ),
    "no_watermarks": lambda setup: WatermarkStrategy.no_watermarks(),
    "punctuated_all": lambda setup: WatermarkStrategy.for_generator("punctuated"),
    "periodic_last": lambda setup: WatermarkStrategy.for_generator(PeriodicLast),
}


class PeriodicLast(Generator):
    """The test's own generator: at each tick the last timestamp minus 1 ms."""

    periodic = True
    last = MIN

    def on_event(self, timestamp: int) -> list[Any]:
        self.last = timestamp
        return super().on_event(timestamp)

    def time(self) -> int:
        return self.last


@own_tests("watermark_generators")
def test_generators_meet_every_expectation(scenario: dict[str, Any]) -> None:
    do, expect = scenario["steps"][0], scenario["steps"][1]
    if do["do"] == "construct":
        assert expect == {"expect": {"error": "IllegalArgumentException"}}
        with pytest.raises(IllegalArgument):
            BASES[do["args"]["generator"]](do["args"])
        return
    generator = BASES[scenario["setup"]["generator"]](scenario["setup"]).create_generator(None, FLINK_2_3)
    last = None
    for step in scenario["steps"]:
        if "expect" in step:
            assert step["expect"] == {"last_watermark": last}
            continue
        made = (
            generator.on_periodic_emit()
            if step["do"] == "periodic_emit"
            else generator.on_event(step["args"]["ts"])
        )
        last = made[-1][1] if made else last


def built(arguments: dict[str, Any]) -> WatermarkStrategy:
    """The strategy of a `build` step."""
    assert arguments["base"] == "monotonous"
    strategy = WatermarkStrategy.for_monotonous_timestamps()
    if "assigner_constant" in arguments:
        strategy = strategy.with_timestamp_assigner(lambda timestamp, now: arguments["assigner_constant"])
    if "alignment" in arguments:
        given = arguments["alignment"]
        interval = [given["update_interval_ms"]] if "update_interval_ms" in given else []
        strategy = strategy.with_watermark_alignment(given["group"], given["drift_ms"], *interval)
    if "idleness_ms" in arguments:
        strategy = strategy.with_idleness(arguments["idleness_ms"])
    return strategy


@own_tests("watermark_strategy")
def test_strategies_meet_every_expectation(scenario: dict[str, Any]) -> None:
    build, expected = scenario["steps"][0], scenario["steps"][1]["expect"]
    assert len(scenario["steps"]) == 2
    if "error" in expected:
        with pytest.raises(IllegalArgument):
            built(build["args"])
        return
    subject = WatermarkedInput(built(build["args"]), mid_pipeline=False, policies=FLINK_2_3)
    if "assigned" in expected:
        assert subject.record(expected["assigned"]["record_ts"]) == [
            ("record", expected["assigned"]["result"])
        ]
    if "assigner" in expected:
        assert expected["assigner"] == "record_timestamp"
        assert subject.record(13) == [("record", 13)]
    if "generator" in expected:
        assert expected["generator"] == "with_idleness"
        assert isinstance(subject.generator, WatermarksWithIdleness)
    if "alignment" in expected:
        alignment = expected["alignment"]
        values = (alignment["group"], alignment["drift_ms"], alignment["update_interval_ms"])
        assert subject.alignment() == ([("alignment", *values)] if alignment["enabled"] else [])


class OperatorInTest:
    """The operator with Flink's test timers: the clock jumps, then each due timer fires."""

    def __init__(self, setup: dict[str, Any], policies: Any) -> None:
        # Without progressive watermarks, in batch execution, a job's strategy is `no_watermarks`.
        base = BASES[setup["generator"] if setup["progressive"] else "no_watermarks"](setup)
        strategy = base.with_idleness(setup["idle_timeout_ms"]) if "idle_timeout_ms" in setup else base
        self.interval = setup["auto_watermark_interval_ms"]
        self.input = WatermarkedInput(strategy, mid_pipeline=True, policies=policies)
        self.pending: list[list[Any]] = []

    def do(self, name: str, arguments: dict[str, Any]) -> None:
        """One step."""
        if name == "repeat":
            for _ in range(arguments["times"]):
                for step in arguments["steps"]:
                    self.do(step["do"], step["args"])
            return
        outputs = getattr(self, name)(**arguments)
        words = {"idle": ["status", "IDLE"], "active": ["status", "ACTIVE"]}
        self.pending += [words.get(output[0], list(output)) for output in outputs]

    def element(self, value: int, no_timestamp: bool = False) -> list[Any]:
        return self.input.record(value)

    def watermark(self, ts: int) -> list[Any]:
        return self.input.watermark(ts)

    def status(self, status: str) -> list[Any]:
        return {"IDLE": self.input.idle, "ACTIVE": self.input.active}[status]()

    def set_time(self, ms: int) -> list[Any]:
        return self.advance(ms - self.input.now)

    def advance(self, ms: int) -> list[Any]:
        due = (self.input.now + ms) // self.interval - self.input.now // self.interval
        outputs = self.input.advance(ms)
        return outputs + [output for _ in range(due) for output in self.input.tick()]

    def backpressure(self, kind: str, on: bool) -> list[Any]:
        clock = self.input.input_activity_clock
        (clock.pause if on else clock.resume)("backpressure")
        return []


def operator_difference(scenario: dict[str, Any], policies: Any) -> str | None:
    """Which expectation of a scenario the operator does not meet; None: it meets all."""
    operator = OperatorInTest(scenario["setup"], policies)
    for number, step in enumerate(scenario["steps"]):
        if "do" in step:
            operator.do(step["do"], step["args"])
            continue
        assert set(step["expect"]) == {"outputs"}
        if operator.pending != step["expect"]["outputs"]:
            return f"step {number}: expected {step['expect']['outputs']}, got {operator.pending}"
        operator.pending = []
    return None


@own_tests("timestamps_and_watermarks_operator")
def test_operators_in_mid_pipeline_meet_every_expectation(scenario: dict[str, Any]) -> None:
    assert operator_difference(scenario, FLINK_2_3) is None


def test_a_wrong_expectation_of_an_operator_is_noticed() -> None:
    scenario = scenarios_of("timestamps_and_watermarks_operator")[2]
    wrong = {**scenario, "steps": [scenario["steps"][0], {"expect": {"outputs": []}}]}
    assert "step 1" in str(operator_difference(wrong, FLINK_2_3))


@pytest.mark.parametrize(
    ("policy", "value"), [("idleness_ends_with", "record"), ("split_resumption", "any-watermark")]
)
def test_an_operator_resumes_by_the_policies_of_idleness_and_of_the_output(policy: str, value: str) -> None:
    """It has none of its own: what is idle comes back with a watermark that rises, the facts say."""

    def resumed(policies: Any) -> list[Any]:
        strategy = WatermarkStrategy.for_generator("punctuated").with_idleness(1)
        operator = WatermarkedInput(strategy, mid_pipeline=True, now=1, policies=policies)
        operator.record(5)
        for step in (operator.tick, operator.tick, lambda: operator.advance(2), operator.tick):
            last = step()
        assert last == [("idle",)]
        return operator.record(5) + operator.record(6)

    assert resumed(FLINK_2_3) == [("record", 5), ("record", 6), ("active",), ("watermark", 6)]
    assert resumed(replace(FLINK_2_3, **{policy: value})) != resumed(FLINK_2_3)
