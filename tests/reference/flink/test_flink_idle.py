"""Under the profile `flink-2.3` idleness and its clock answer as Apache Flink 2.3.0 did."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from flink_facts import IS_OWN, Trace, corpus, scenarios_of, traces_of

from tidegauge_reference import CORE, FLINK_2_3, MAX, IllegalArgument, IllegalState, Policies
from tidegauge_reference.clock import PausableClock
from tidegauge_reference.generators import BoundedOutOfOrderness, Generator, NoWatermarks, Punctuated
from tidegauge_reference.idleness import WatermarksWithIdleness

TRACES = [trace for file in corpus("idle") for trace in traces_of(file)]


def nanoseconds(duration: list[int]) -> int:
    """A recorded duration, seconds and nanoseconds, in ns."""
    return duration[0] * 10**9 + duration[1]


def generator_of(trace: Trace) -> Generator:
    """The recorded generator; Java's durations are whole ms there."""
    kind, *arguments = trace["gen"]
    if kind == "boo":
        return BoundedOutOfOrderness(nanoseconds(*arguments) // 10**6)
    return {"asc": lambda: BoundedOutOfOrderness(0), "punct": Punctuated, "none": NoWatermarks}[kind]()


class Replay:
    """A recorded trace on the reference."""

    def __init__(self, trace: Trace, policies: Policies) -> None:
        self.trace = trace
        self.base = self.lowest = self.highest = trace["t0"]
        self.clock = PausableClock(self.base, policies)
        self.paused = self.clock if trace["pausable"] else PausableClock(self.base, policies)
        timeout = nanoseconds(trace["timeout"])
        self.generator = WatermarksWithIdleness(generator_of(trace), timeout, self.clock, policies)

    def base_after(self, step: list[Any]) -> int:
        """What the clock below the pausable one shows after a step."""
        if step[0] == "set":
            return int(step[1])
        return int(self.base + step[1]) if step[0] == "adv" else int(self.base)

    def outside(self, step: list[Any]) -> bool:
        """Whether the clock is set back while the input is idle, or the differences of what it has shown
        leave 64 bits, where Java's wrap round."""
        base = self.base_after(step)
        self.lowest, self.highest = min(self.lowest, base), max(self.highest, base)
        set_back = base < self.base and self.generator.idle
        return set_back or base > MAX or self.highest - self.lowest > MAX

    def answer(self, step: list[Any]) -> list[list[Any]]:
        """One recorded step; an error's class is Java's own affair."""
        try:
            outputs = self.do(step)
        except (IllegalArgument, IllegalState):
            return [["x"]]
        words = {"watermark": lambda output: ["w", output[1]], "idle": lambda output: ["s", "idle"]}
        return [words[output[0]](output) if output[0] in words else list(output) for output in outputs]

    def do(self, step: list[Any]) -> list[Any]:
        """One recorded step: its outputs in the reference's words, a reading in the recording's."""
        kind = step[0]
        if kind == "ev":
            return self.generator.on_event(step[1])
        if kind == "p":
            return self.generator.on_periodic_emit()
        if kind == "t":
            return [("t", self.clock.read())]
        if kind in ("adv", "set"):
            passed, self.base = self.base_after(step) - self.base, self.base_after(step)
            self.clock.advance(max(passed, 0))
            if passed < 0 and not self.clock.pauses:
                self.clock.nanoseconds += passed  # by hand, as the reference's clock does not go back
        else:
            {"pause": self.paused.pause, "unpause": self.paused.resume}[kind]()
        return []


def recorded(outputs: list[list[Any]]) -> list[list[Any]]:
    """Flink's answer to a step: errors without their class, a reading without its ms, which the FLIP's clock
    does not have."""
    shortened = {"x": 1, "t": 2}
    return [output[: shortened.get(output[0], len(output))] for output in outputs]


def compared(trace: Trace, policies: Policies) -> tuple[str | None, int]:
    """Where the reference departs from a trace (None: nowhere), and how many of its steps were compared."""
    try:
        replay = Replay(trace, policies)
    except IllegalArgument as error:
        return (None if "ctor" in trace else f"{trace['id']}: the reference refuses: {error}"), 0
    if "ctor" in trace:
        return f"{trace['id']}: Flink refuses with {trace['ctor']}", 0
    for number, (step, outputs) in enumerate(zip(trace["steps"], trace["out"], strict=True)):
        if replay.outside(step):
            return None, number
        given = replay.answer(step)
        if given != recorded(outputs):
            return f"{trace['id']}, step {number} {step}: Flink {outputs}, reference {given}", number
    return None, len(trace["steps"])


NULL = [trace for trace in TRACES if trace["gen"] is None or trace["timeout"] is None]
"""Outside the specification on purpose: Java's null for a generator or a timeout, which the vocabulary has
no word for."""

REPLAYED = [trace for trace in TRACES if trace not in NULL]


def test_there_is_something_to_replay() -> None:
    assert len(REPLAYED) >= 900


def test_the_reference_answers_every_trace_as_flink_did() -> None:
    differences = [compared(trace, FLINK_2_3)[0] for trace in REPLAYED]
    assert [difference for difference in differences if difference is not None] == []


@pytest.mark.skipif(not IS_OWN, reason="figures of the project's own recording")
def test_what_is_left_out_is_known() -> None:
    """Nulls, and the rest of a trace after a clock that goes back or ahead too far (`Replay.outside`)."""
    assert len(NULL) == 7
    assert all(trace["ctor"] == "java.lang.NullPointerException" for trace in NULL)
    shortened = [
        len(trace["steps"]) - compared(trace, FLINK_2_3)[1] for trace in REPLAYED if "ctor" not in trace
    ]
    assert (len(REPLAYED), sum(left_out > 0 for left_out in shortened), sum(shortened)) == (993, 83, 1721)


def test_an_answer_that_is_wrong_by_one_output_is_noticed() -> None:
    trace = next(
        trace
        for trace in REPLAYED
        if "ctor" not in trace and compared(trace, FLINK_2_3)[1] == len(trace["out"])
    )
    for number in range(len(trace["out"])):
        out = [*trace["out"][:number], [*trace["out"][number], ["s", "idle"]], *trace["out"][number + 1 :]]
        assert compared({**trace, "out": out}, FLINK_2_3)[0] is not None


@pytest.mark.parametrize("policy", ["idleness_reading_zero", "idleness_ends_with"])
def test_each_policy_of_the_profile_is_needed(policy: str) -> None:
    changed: Any = replace
    policies = changed(FLINK_2_3, **{policy: getattr(CORE, policy)})
    assert any(compared(trace, policies)[0] is not None for trace in REPLAYED)


CLOCKS = scenarios_of("pausable_relative_clock")
IDLENESS = scenarios_of("watermarks_with_idleness")


def clock_difference(scenario: dict[str, Any]) -> str | None:
    """Which expectation of a clock's scenario the reference does not meet; None: it meets all."""
    clock, refused = PausableClock(policies=FLINK_2_3), None
    for number, step in enumerate(scenario["steps"]):
        expected = step.get("expect")
        if expected is None:
            try:
                {
                    "advance": lambda ms=0: clock.advance(ms * 10**6),
                    "pause": clock.pause,
                    "unpause": clock.resume,
                }[step["do"]](**step["args"])
            except IllegalState:
                refused = "IllegalStateException"
        elif expected not in ({"elapsed_ms": clock.read() // 10**6}, {"error": refused}):
            return f"step {number}: expected {expected}, the clock reads {clock.read()} ns, {refused}"
    return None


class Prober:
    """What a scenario sets up; Flink's timer alone is idleness around a generator that is never heard."""

    def __init__(self, setup: dict[str, Any]) -> None:
        self.clock = PausableClock(setup["clock_start_ns"], FLINK_2_3)
        generator = {"ascending_timestamps": lambda: BoundedOutOfOrderness(0)}.get(
            setup.get("generator"), NoWatermarks
        )()
        timeout = setup["timeout_ms"] * 10**6
        self.engine = WatermarksWithIdleness(generator, timeout, self.clock, FLINK_2_3)


def idleness_difference(scenario: dict[str, Any]) -> str | None:
    """Which expectation of a scenario of idleness the reference does not meet; None: it meets all."""
    prober = Prober({"clock_start_ns": 0, "timeout_ms": 1, **scenario["setup"]})
    pending: list[list[Any]] = []
    refused = None
    for number, step in enumerate(scenario["steps"]):
        if "do" in step:
            arguments = step["args"]
            match step["do"]:
                case "advance":
                    prober.clock.advance(arguments.get("ms", 0) * 10**6 + arguments.get("ns", 0))
                case "activity":
                    pending += map(list, prober.engine.on_event(0))
                case "gen_event":
                    pending += map(list, prober.engine.on_event(arguments["ts"]))
                case "check" | "gen_periodic":
                    pending += map(list, prober.engine.on_periodic_emit())
                case "construct":
                    try:
                        Prober({"clock_start_ns": 0, **arguments})
                    except IllegalArgument:
                        refused = "IllegalArgumentException"
            continue
        outputs = [["status", "IDLE"] if output == ["idle"] else output for output in pending]
        found = {"idle": prober.engine.idle, "error": refused, "outputs": outputs}
        if any(found[name] != value for name, value in step["expect"].items()):
            return f"step {number}: expected {step['expect']}, found {found}"
        if "outputs" in step["expect"]:
            pending = []
    return None


def test_all_scenarios_are_here_and_say_where_they_apply() -> None:
    assert len(IDLENESS) == 12
    assert {scenario["applies_to"] for scenario in IDLENESS} == {"2.3.0"}
    assert [scenario["applies_to"] for scenario in CLOCKS] == [
        "2.3.0",
        "2.3.0",
        "post-2.3.0:FLINK-40234(closed PR)",
        "2.3.0",
    ]


@pytest.mark.parametrize("scenario", IDLENESS, ids=lambda scenario: str(scenario["id"]))
def test_idleness_meets_every_expectation(scenario: dict[str, Any]) -> None:
    assert idleness_difference(scenario) is None


RELEASED_CLOCKS = [scenario for scenario in CLOCKS if scenario["applies_to"] == "2.3.0"]
"""The other one needs clocks in layers, which were proposed and not merged: no profile has them."""


@pytest.mark.parametrize("scenario", RELEASED_CLOCKS, ids=lambda scenario: str(scenario["id"]))
def test_the_clock_meets_every_expectation(scenario: dict[str, Any]) -> None:
    assert clock_difference(scenario) is None


def test_the_layered_clock_is_one_clock_with_two_reasons() -> None:
    """What the proposal's clock in two layers shows at the end is what one clock with two pauses shows."""
    (layered,) = (scenario for scenario in CLOCKS if scenario not in RELEASED_CLOCKS)
    steps = [step | {"args": {**step.get("args", {})}} for step in layered["steps"]]
    for step in steps:
        step["args"].pop("clock", None)
    assert clock_difference({"steps": steps}) is None
