"""Under the profile `flink-2.3` the reference answers as Apache Flink 2.3.0 did (`data/flink/README.md`)."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flink_facts import FOLDER, OWN

from tidegauge_reference import CORE, FLINK_2_3, IllegalArgument, Policies, Valve

FILES = sorted(FOLDER.glob("valve*.jsonl.gz"))

Trace = dict[str, Any]


def traces_of(file: Path) -> list[Trace]:
    """The recorded traces of a file."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def do(valve: Valve, channels: int, step: list[Any]) -> list[tuple[Any, ...]]:
    """One recorded step on the reference valve."""
    if step[0] == "w":
        channel, timestamp, subpartition = [*step[1:], 0][:3]
        return list(valve.watermark(channel if subpartition == 0 else channels + subpartition, timestamp))
    channel, status = step[1:]
    if status in ("active", 0):
        return list(valve.active(channel))
    if status in ("idle", -1):
        return list(valve.idle(channel))
    raise IllegalArgument(f"{status!r} is no status")


def answer(valve: Valve, channels: int, step: list[Any]) -> list[list[Any]]:
    """What the reference outputs, in the words of the recording; an error's class is Java's own affair."""
    try:
        outputs = do(valve, channels, step)
    except IllegalArgument:
        return [["x"]]
    return [["w", output[1]] if output[0] == "watermark" else ["s", output[0]] for output in outputs]


def recorded(outputs: list[list[Any]]) -> list[list[Any]]:
    """Flink's recorded answer to one step, errors without their class."""
    return [["x"] if output[0] == "x" else output for output in outputs]


def first_difference(trace: Trace, policies: Policies) -> str | None:
    """Where the reference departs from a trace, `final` states included; None: nowhere."""
    valve = Valve(trace["n"], policies)
    for number, (step, outputs) in enumerate(zip(trace["steps"], trace["out"], strict=True)):
        given = answer(valve, trace["n"], step)
        if given != recorded(outputs):
            return f"{trace['id']}, step {number} {step}: Flink {outputs}, reference {given}"
    channels, *_ = valve.state()
    final = [[watermark, not idle, aligned] for watermark, idle, aligned in channels]
    if final != trace["final"]:
        return f"{trace['id']}, final: Flink {trace['final']}, reference {final}"
    return None


def test_the_corpus_is_there() -> None:
    assert FILES, f"{FOLDER} holds no valve*.jsonl.gz"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name.partition(".")[0])
def test_every_trace_is_reproduced_with_its_final_states(file: Path) -> None:
    traces = traces_of(file)
    assert traces
    differences = [found for trace in traces if (found := first_difference(trace, FLINK_2_3)) is not None]
    assert not differences, "\n".join(
        [f"{len(differences)} of {len(traces)} traces differ", *differences[:5]]
    )


def test_the_corpus_of_the_project_is_whole() -> None:
    assert len(traces_of(OWN / "valve.jsonl.gz")) == 2500
    assert len(traces_of(OWN / "valve_dir.jsonl.gz")) == 500


@pytest.mark.parametrize(
    "policy",
    [
        "valve_flush_when_all_idle",
        "valve_minimum_when_active",
        "valve_minimum_when_idle",
        "valve_finished_channel",
    ],
)
def test_every_policy_of_the_profile_is_needed_to_reproduce_it(policy: str) -> None:
    policies = replace(FLINK_2_3, **{policy: getattr(CORE, policy)})
    traces = traces_of(OWN / "valve_dir.jsonl.gz") + traces_of(OWN / "valve.jsonl.gz")
    assert any(first_difference(trace, policies) is not None for trace in traces)


def test_a_wrong_final_state_and_a_wrong_output_are_noticed() -> None:
    trace = traces_of(OWN / "valve_dir.jsonl.gz")[0]
    assert first_difference(trace, FLINK_2_3) is None
    (watermark, active, aligned), *others = trace["final"]
    wrong_state = {**trace, "final": [[watermark, active, not aligned], *others]}
    assert "final" in str(first_difference(wrong_state, FLINK_2_3))
    wrong_output = {**trace, "out": [[["w", 1]], *trace["out"][1:]]}
    assert "step 0" in str(first_difference(wrong_output, FLINK_2_3))
