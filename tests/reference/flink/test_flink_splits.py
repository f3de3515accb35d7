"""Flink's multiplexer of split outputs, its combination of an operator's inputs, and the output of a source.

Recordings (`mux`, `icws`) and Flink's own tests; `data/flink/README.md` has their words.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from functools import cache
from typing import Any

import flink_facts
import pytest

from tidegauge_reference import CORE, FLINK_2_3, IllegalArgument, IllegalState, Policies
from tidegauge_reference.splits import Emitter, OperatorInputs, SplitOutputs

Words = list[list[Any]]

BARE = replace(FLINK_2_3, split_status="idle-at-every-update")
"""The multiplexer by itself. The profile describes it with the output behind it, as in a task."""

CALLS = {"w": "watermark", "i": "idle", "a": "active"}


class Multiplexer:
    """The reference's split outputs, with or without an emitter behind, in the words of the recordings."""

    def __init__(self, policies: Policies, emitter: bool) -> None:
        self.splits = SplitOutputs(policies)
        self.emitter = Emitter(policies) if emitter else None

    def outputs_of(self, step: list[Any]) -> Words:
        """One recorded step."""
        kind, *arguments = step
        split = arguments[0] if arguments else None
        known = self.splits.parts.get(split) if split is not None else None
        watermark = known.watermark if known else None
        try:
            if kind == "reg":
                outputs = self.splits.add(split)
            elif kind == "unreg":
                return [["r", known is not None], *self.downstream(self.splits.remove(split))]
            elif kind == "p":
                outputs = self.splits.tick()
            elif kind == "get":
                return [] if known is not None else [["x"]]
            else:
                outputs = getattr(self.splits, CALLS[kind[1]])(*arguments, deferred=kind[0] == "d")
        except (IllegalArgument, IllegalState):
            return [["x"]]
        heard: Words = []
        if known is not None and kind not in ("reg", "p"):
            heard.append(["li", split, known.idle])
            if known.watermark != watermark:
                heard.append(["lw", split, known.watermark])
        return heard + self.downstream(outputs)

    def downstream(self, outputs: list[Any]) -> Words:
        """What leaves; behind an emitter with what its listener hears."""
        if self.emitter is None:
            return [["w", output[1]] if output[0] == "watermark" else ["s", output[0]] for output in outputs]
        words: Words = []
        for output in self.emitter.send(outputs):
            if output[0] == "watermark":
                words.insert(-2 if words[-1:] == [["ui", False]] else len(words), ["uw", output[1]])
                words.append(["w", output[1]])
            else:
                words += [["s", output[0]], ["ui", output[0] == "idle"]]
        return words

    def is_settled(self) -> bool:
        """Whether an update would neither output nor change anything."""
        twin = copy.deepcopy(self.splits)
        return twin.tick() == [] and twin.state() == self.splits.state()


def recorded(outputs: Words) -> Words:
    """Flink's recorded answer to one step, errors without their class."""
    return [["x"] if output[0] == "x" else output for output in outputs]


@cache
def traces(kind: str) -> list[flink_facts.Trace]:
    """All recordings of a kind."""
    return [trace for file in flink_facts.corpus(kind) for trace in flink_facts.traces_of(file)]


def compare_multiplexer(trace: flink_facts.Trace, policies: Policies) -> tuple[int, str | None]:
    """How many steps were compared, and the first difference, if any.

    Out of the specification: a handle that is used after its split has been removed. Such a step is left
    out; the rest is compared as long as it cannot matter whether Flink did an update in that step.
    """
    engine = Multiplexer(policies, trace["wto"])
    stale: set[str] = set()
    compared = 0
    for number, (step, outputs) in enumerate(zip(trace["steps"], trace["out"], strict=True)):
        kind, *arguments = step
        if kind[1:] in CALLS and arguments[0] in stale:
            if kind[0] == "i" and not engine.is_settled():
                break
            continue
        had = set(engine.splits.parts)
        given = engine.outputs_of(step)
        compared += 1
        if given != recorded(outputs):
            return compared, f"{trace['id']}, step {number} {step}: Flink {outputs}, reference {given}"
        stale = (stale | had) - set(engine.splits.parts)
    return compared, None


def compare_inputs(trace: flink_facts.Trace, policies: Policies) -> str | None:
    """The first difference in a recording of an operator's inputs, if any."""
    inputs = OperatorInputs(trace["n"], policies)
    for number, (step, outputs) in enumerate(zip(trace["steps"], trace["out"], strict=True)):
        kind, *arguments = step
        try:
            sent = inputs.watermark(*arguments) if kind == "w" else getattr(inputs, step[2])(step[1])
            changed = any(output[0] == "watermark" for output in sent)
            given = [["r", changed, inputs.output.maximum, inputs.output.is_idle]]
        except IllegalArgument:
            given = [["x"]]
        if given != recorded(outputs):
            return f"{trace['id']}, step {number} {step}: Flink {outputs}, reference {given}"
    return None


def test_every_recording_of_the_multiplexer_is_reproduced() -> None:
    found = [compare_multiplexer(trace, BARE) for trace in traces("mux")]
    differences = [difference for _, difference in found if difference is not None]
    assert found
    assert not differences, "\n".join([f"{len(differences)} of {len(found)} differ", *differences[:5]])
    assert 2 * sum(count for count, _ in found) > sum(len(trace["steps"]) for trace in traces("mux"))


def test_the_profile_is_the_multiplexer_with_the_output_behind_it() -> None:
    in_a_task = [trace for trace in traces("mux") if trace["wto"]]
    assert in_a_task
    for trace in in_a_task:
        assert compare_multiplexer(trace, FLINK_2_3)[1] is None


def test_every_recording_of_an_operator_s_inputs_is_reproduced() -> None:
    built = [trace for trace in traces("icws") if trace["n"] > 0]
    differences = [found for trace in built if (found := compare_inputs(trace, BARE)) is not None]
    assert built
    assert not differences, "\n".join([f"{len(differences)} of {len(built)} differ", *differences[:5]])


def test_an_operator_without_inputs_cannot_be_built_and_refuses_every_step_in_flink() -> None:
    unbuilt = [trace for trace in traces("icws") if trace["n"] == 0]
    for trace in unbuilt:
        with pytest.raises(IllegalArgument, match="SPLIT-12"):
            OperatorInputs(trace["n"], BARE)
        assert all(recorded(outputs) == [["x"]] for outputs in trace["out"])


@pytest.mark.skipif(not flink_facts.IS_OWN, reason="the counts are those of the project's own recordings")
def test_what_is_out_of_the_specification_is_known() -> None:
    """Steps left out: a removed split's handle is used, or such a use has made the rest uncertain."""
    compared = [compare_multiplexer(trace, BARE)[0] for trace in traces("mux")]
    lengths = [len(trace["steps"]) for trace in traces("mux")]
    assert len(lengths) == 1000
    assert sum(length == count for length, count in zip(lengths, compared, strict=True)) == 537
    assert (sum(compared), sum(lengths)) == (25958, 30655)
    assert sum(trace["n"] == 0 for trace in traces("icws")) == 13
    assert len(traces("icws")) == 400


@pytest.mark.parametrize(
    "policy",
    [
        "split_finished",
        "split_none",
        "split_resumption",
    ],
)
def test_every_policy_of_the_profile_is_needed(policy: str) -> None:
    policies = replace(BARE, **{policy: getattr(CORE, policy)})
    assert any(compare_multiplexer(trace, policies)[1] for trace in traces("mux")) or any(
        compare_inputs(trace, policies) for trace in traces("icws") if trace["n"] > 0
    )


def test_a_wrong_output_is_noticed() -> None:
    for kind, compare in (
        ("mux", lambda trace: compare_multiplexer(trace, BARE)[1]),
        ("icws", lambda trace: compare_inputs(trace, BARE)),
    ):
        trace = next(trace for trace in traces(kind) if trace.get("n", 1) > 0)
        assert compare(trace) is None
        wrong = {**trace, "out": [[["w", 77]], *trace["out"][1:]]}
        assert "step 0" in str(compare(wrong))


class UnderlyingOutput:
    """What the tests of the multiplexer look at: the last watermark and status, and how often they came."""

    def __init__(self) -> None:
        self.shows: dict[str, Any] = {"last_watermark": None, "idle": False, "returned": None, "error": None}
        self.counts: dict[str, Any] = {"watermarks": [], "idle_calls": 0, "active_calls": 0}

    def hear(self, words: Words) -> None:
        """Outputs of one step, in the words of the recordings."""
        for kind, value in ([*word, None][:2] for word in words):
            if kind == "w":
                self.shows |= {"last_watermark": value, "idle": False}
                self.counts["watermarks"].append(value)
            elif kind == "s":
                self.shows["idle"] = value == "idle"
                self.counts[f"{value}_calls"] += 1
            elif kind == "r":
                self.shows["returned"] = value
            elif kind == "x":
                self.shows["error"] = "IllegalStateException"


STEPS = {
    "register": "reg",
    "unregister": "unreg",
    "periodic_emit": "p",
    **{
        f"{when}_{name}": when[0] + word for when in ("immediate", "deferred") for word, name in CALLS.items()
    },
}


def unmet_by_multiplexer(steps: list[dict[str, Any]], policies: Policies) -> str | None:
    """The first expectation that the split outputs do not meet."""
    engine, output = Multiplexer(policies, emitter=False), UnderlyingOutput()
    for number, step in enumerate(steps):
        if "do" in step:
            arguments = step["args"]
            output.hear(engine.outputs_of([STEPS[step["do"]], *arguments.values()]))
            continue
        for name, value in step["expect"].items():
            shown = output.counts if name == "recorded" else output.shows[name]
            if shown != value:
                return f"step {number}: expected {name} {value}, it is {shown}"
    return None


def unmet_by_inputs(steps: list[dict[str, Any]], policies: Policies, inputs: int) -> str | None:
    """The first expectation that the inputs do not meet; an element sets a timer, which outputs a record."""
    operator = OperatorInputs(inputs, policies)
    timers: list[int] = []
    since: Words = []
    for number, step in enumerate(steps):
        if "expect" in step:
            if since != step["expect"]["outputs"]:
                return f"step {number}: expected {step['expect']['outputs']}, got {since}"
            since = []
            continue
        arguments = step["args"]
        if step["do"] == "element":
            timers.append(arguments["ts"])
            continue
        if step["do"] == "watermark":
            outputs = operator.watermark(arguments["input"], arguments["ts"])
        else:
            outputs = getattr(operator, arguments["status"].lower())(arguments["input"])
        for output in outputs:
            if output[0] != "watermark":
                since.append(["status", output[0].upper()])
                continue
            due = sorted(timer for timer in timers if timer <= output[1])
            since += [["record", timer] for timer in due]
            since.append(list(output))
            timers = [timer for timer in timers if timer > output[1]]
    return None


def unmet_by_emitter(steps: list[dict[str, Any]], policies: Policies) -> str | None:
    """The first expectation that the output of a source does not meet."""
    engine = Multiplexer(policies, emitter=True)
    words: Words = []
    for number, step in enumerate(steps):
        if "do" in step:
            words += engine.downstream([(step["do"], *step["args"].values())])
            continue
        names = {"w": "watermark", "s": "status", "uw": "watermark", "ui": "idle"}
        seen = {
            "outputs": [
                [names[kind], value.upper() if kind == "s" else value]
                for kind, value in words
                if kind in ("w", "s")
            ],
            "listener": [[names[kind], value] for kind, value in words if kind in ("uw", "ui")],
        }
        for name, value in step["expect"].items():
            if seen[name] != value:
                return f"step {number}: expected {name} {value}, got {seen[name]}"
    return None


def unmet(scenario: dict[str, Any], policies: Policies) -> str | None:
    """The first expectation of one of Flink's own tests that the reference does not meet."""
    if scenario["component"] == "watermark_output_multiplexer":
        return unmet_by_multiplexer(scenario["steps"], policies)
    if scenario["component"] == "combined_watermark_status":
        return unmet_by_inputs(scenario["steps"], policies, scenario["setup"]["inputs"])
    return unmet_by_emitter(scenario["steps"], policies)


SCENARIOS = [
    scenario
    for component in ("watermark_output_multiplexer", "combined_watermark_status", "watermark_to_data_output")
    for scenario in flink_facts.scenarios_of(component)
]
RELEASED = [scenario for scenario in SCENARIOS if scenario["applies_to"] == "2.3.0"]
PROPOSED = [scenario for scenario in SCENARIOS if scenario["applies_to"] != "2.3.0"]

DIFFERENT_IN_CORE = {
    "watermark_output_multiplexer-009": "a subtask without splits is IDLE from the first tick",
    "watermark_output_multiplexer-025": "the last split is removed: IDLE (FLINK-39586)",
    "watermark_output_multiplexer-027": "a split that comes back is announced by ACTIVE (FLINK-40504)",
    "watermark_output_multiplexer-029": "a split that comes back is announced by ACTIVE (FLINK-40504)",
    "watermark_output_multiplexer-030": "a subtask without splits is IDLE from the first tick",
    "watermark_output_multiplexer-032": "IDLE is sent once",
    "combined_watermark_status-004": "a watermark that ends idleness is announced by ACTIVE",
    "watermark_to_data_output-005": "a watermark that does not rise ends idleness too (FLINK-40504)",
}
"""Flink's own tests, right for 2.3.0, that `core` answers otherwise, and how."""


def test_all_of_flink_s_tests_are_here() -> None:
    assert (len(RELEASED), len(PROPOSED)) == (41, 4)
    assert {scenario["applies_to"] for scenario in PROPOSED} == {
        "post-2.3.0:FLINK-39586(open)",
        "post-2.3.0:FLINK-40504(open)",
    }


@pytest.mark.parametrize("scenario", RELEASED, ids=lambda scenario: str(scenario["id"]))
def test_what_holds_in_the_release_holds_under_its_profile(scenario: dict[str, Any]) -> None:
    assert unmet(scenario, BARE) is None
    assert (unmet(scenario, CORE) is None) == (scenario["id"] not in DIFFERENT_IN_CORE)


@pytest.mark.parametrize("scenario", PROPOSED, ids=lambda scenario: str(scenario["id"]))
def test_what_is_proposed_and_core_follows_differs_in_the_release(scenario: dict[str, Any]) -> None:
    assert unmet(scenario, CORE) is None
    assert unmet(scenario, BARE) is not None
