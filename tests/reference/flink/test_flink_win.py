"""Under the profile `flink-2.3` the reference's windows answer as Apache Flink 2.3.0 did."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from flink_facts import FOLDER, OWN, Trace, corpus, scenarios_of, traces_of

from tidegauge_reference import CORE, FLINK_2_3, MAX, Policies
from tidegauge_reference.windows import Session, Sliding, Windows

FILES = corpus("win")
FIRST_WATERMARK, LAST_WATERMARK = -1, 500_000_000
"""Every recorded trace began with the one and ended with the other; neither stands among its steps."""

FAR_FROM_THE_EDGES = 2**62
"""Beyond it Flink's sums may wrap round, where the reference's end at MAX (TIME-1)."""


def recorded_windows(trace: Trace, policies: Policies) -> Windows:
    """The reference, set up as a trace was."""
    kind, *numbers = trace["win"]
    assigner: Sliding | Session
    if kind == "session":
        assigner = Session(*numbers)
    elif kind == "sliding":
        assigner = Sliding(*numbers)
    else:
        assigner = Sliding(numbers[0], *numbers)
    return Windows(assigner, trace["lateness"], policies=policies)


def do(windows: Windows, step: list[Any], number: int) -> list[list[Any]]:
    """One recorded step, its outputs in the words of the recording. A record is known by its step."""
    kind, timestamp = step
    outputs = windows.watermark(timestamp) if kind == "w" else windows.record(timestamp, number)
    said: list[list[Any]] = []
    for name, *fields in outputs:
        if name == "fire":
            start, end, values = fields
            said.append(["fire", start, end, list(values), windows.current_watermark])
        elif name == "late":
            said.append(["late", *fields])
    return said


def first_difference(trace: Trace, policies: Policies) -> str | None:
    """Where the reference departs from a trace; None: nowhere. The recording is one list, without steps."""
    windows = recorded_windows(trace, policies)
    windows.watermark(FIRST_WATERMARK)
    steps = [*trace["steps"], ["w", LAST_WATERMARK]]
    given = list(chain.from_iterable(do(windows, step, number) for number, step in enumerate(steps)))
    flink = [[*out[:3], sorted(out[3]), *out[4:]] if out[0] == "fire" else out for out in trace["out"]]
    for place in range(max(len(given), len(flink))):
        if given[place : place + 1] != flink[place : place + 1]:
            return f"{trace['id']}, output {place}: Flink {flink[place:][:1]}, reference {given[place:][:1]}"
    return None


def near_the_edges(trace: Trace) -> bool:
    """Whether a sum of Flink's may wrap round in it."""
    return any(abs(timestamp) > FAR_FROM_THE_EDGES for _, timestamp in trace["steps"])


def test_the_corpus_is_there() -> None:
    assert FILES, f"{FOLDER} holds no win*.jsonl.gz"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name.partition(".")[0])
def test_every_trace_is_reproduced(file: Path) -> None:
    traces = [trace for trace in traces_of(file) if not near_the_edges(trace)]
    assert traces
    differences = [found for trace in traces if (found := first_difference(trace, FLINK_2_3)) is not None]
    assert not differences, "\n".join(
        [f"{len(differences)} of {len(traces)} traces differ", *differences[:5]]
    )


def test_no_trace_of_the_project_is_left_out() -> None:
    traces = traces_of(OWN / "win.jsonl.gz")
    assert len(traces) == 600
    assert sum(map(near_the_edges, traces)) == 0


def test_a_wrong_output_is_noticed() -> None:
    trace = next(trace for trace in traces_of(OWN / "win.jsonl.gz") if trace["out"])
    assert first_difference(trace, FLINK_2_3) is None
    (kind, *fields), *others = trace["out"]
    assert "output 0" in str(first_difference({**trace, "out": others}, FLINK_2_3))
    for wrong in ([kind, *fields[:-1], fields[-1] + 1], ["late", 1000]):
        assert "output 0" in str(first_difference({**trace, "out": [wrong, *others]}, FLINK_2_3))
    missing = {**trace, "out": [*trace["out"], ["late", 0]]}
    assert f"output {len(trace['out'])}" in str(first_difference(missing, FLINK_2_3))


def test_the_order_of_the_profile_is_needed_to_reproduce_it() -> None:
    policies = replace(FLINK_2_3, window_order_at_a_record=CORE.window_order_at_a_record)
    traces = traces_of(OWN / "win.jsonl.gz")
    assert any(first_difference(trace, policies) is not None for trace in traces)


@pytest.mark.parametrize(("policies", "records"), [(CORE, 0), (FLINK_2_3, 1)])
def test_state_without_a_cleanup_timer_stays_in_flink(policies: Policies, records: int) -> None:
    """Read in the released classes, not recorded: a cleanup time of MAX sets no timer."""
    windows = Windows(Sliding(1000, 1000), 2000, policies=policies)
    windows.record(MAX - 1500, 1)
    windows.watermark(MAX)
    assert windows.expired_state() == [("state-size", records)]
    assert windows.record(MAX - 1500, 2) == [("late", 2)]


SCENARIOS = scenarios_of("event_time_window")


class Keys:
    """A scenario's operator: windows of each key, in the order in which the keys come."""

    def __init__(self, setup: dict[str, Any]) -> None:
        self.setup = setup
        self.windows: dict[str, Windows] = {}
        self.late: list[list[Any]] = []

    def element(self, key: str, value: int, ts: int) -> list[list[Any]]:
        """A record arrives."""
        fired = []
        for output in self._of(key).record(ts, value):
            if output[0] == "late":
                self.late.append([key, value, ts])
            else:
                fired.append(self._summed(key, output))
        return fired

    def watermark(self, ts: int) -> list[list[Any]]:
        """A watermark arrives; it goes on once, after the results of all keys."""
        fired = []
        for key, windows in self.windows.items():
            *results, mark = windows.watermark(ts)
            assert mark == ("watermark", ts)
            fired += [self._summed(key, result) for result in results]
        return [*fired, ["watermark", ts]]

    def _of(self, key: str) -> Windows:
        if key not in self.windows:
            size = self.setup["size_ms"]
            self.windows[key] = Windows(
                Sliding(size, self.setup.get("slide_ms", size)),
                self.setup["allowed_lateness_ms"],
                accumulation="discarding" if self.setup["trigger"].startswith("purging") else "accumulating",
                late_output=self.setup["side_output"],
                policies=FLINK_2_3,
            )
        return self.windows[key]

    def _summed(self, key: str, output: tuple[Any, ...]) -> list[Any]:
        name, _, end, values = output
        assert name == "fire"
        return ["record", key, sum(values), end - 1]


def test_all_scenarios_are_here_and_say_where_they_apply() -> None:
    assert len(SCENARIOS) == 4
    assert {scenario["applies_to"] for scenario in SCENARIOS} == {"2.3.0"}
    assert {scenario["setup"]["window"] for scenario in SCENARIOS} == {"tumbling", "sliding"}


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: str(scenario["id"]))
def test_flinks_own_tests_pass(scenario: dict[str, Any]) -> None:
    keys = Keys(scenario["setup"])
    pending: list[list[Any]] = []
    for number, step in enumerate(scenario["steps"]):
        if "do" in step:
            pending += getattr(keys, step["do"])(**step["args"])
            continue
        expected = step["expect"]
        assert set(expected) <= {"outputs", "outputs_unordered", "late"}
        if "outputs" in expected:
            assert pending == expected["outputs"], f"step {number}"
        if "outputs_unordered" in expected:
            assert sorted(pending, key=str) == sorted(expected["outputs_unordered"], key=str)
        assert keys.late == expected.get("late", keys.late)
        pending = []
