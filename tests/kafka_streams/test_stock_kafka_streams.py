"""Stock Kafka Streams under the kit, with the jars that `python -m tidegauge_adapters.kafka_streams.jars` fetches."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from conftest import Command, results_in
from declared_engines import undeclared_differences
from maven_jars_of import folder_with

from tidegauge import Scenario
from tidegauge.components.within import component_within
from tidegauge.drawing.histories import draw_history
from tidegauge.engine.loading import describe
from tidegauge.engine.runner import run
from tidegauge.wire.base_scenario import Origin
from tidegauge.wire.steps.window import (
    Assigner,
    RecordStep,
    Session,
    Sliding,
    Tumbling,
    WatermarkStep,
    WindowScenario,
    WindowSetup,
)
from tidegauge.wire.vocabulary import AnyOutput, Drop, Fire, Watermark
from tidegauge_adapters.kafka_streams.adapter import KafkaStreamsAdapter
from tidegauge_adapters.kafka_streams.jars import JARS
from tidegauge_adapters.reference import ReferenceAdapter
from tidegauge_reference import CORE

pytestmark = pytest.mark.kafka_streams


@pytest.fixture(scope="module", autouse=True)
def jars() -> None:
    """Require the jars of Kafka Streams. Without them, the tests fail with the command that fetches them."""
    folder_with(JARS)


@pytest.fixture
def kafka_streams(request: pytest.FixtureRequest) -> Iterator[KafkaStreamsAdapter]:
    """Yield the adapter, with the options that the test passes as an indirect parameter."""
    adapter = KafkaStreamsAdapter(getattr(request, "param", {}))
    yield adapter
    adapter.close()


def windows(assigner: Assigner, *history: Any, **setup: Any) -> Scenario:
    return WindowScenario(
        id="difference",
        setup=WindowSetup(assigner, late_output=False, **setup),  # type: ignore[arg-type]
        history=history,
        origin=Origin("own"),
    )


def last_outputs(adapter: Any, scenario: Scenario) -> list[AnyOutput]:
    (transcript,) = run(adapter, [scenario])
    assert transcript is not None
    assert transcript.failure is None, transcript.failure
    return list(transcript.outputs[-1])


A_RECORD_AT_5 = (WatermarkStep(4), RecordStep(5, 1))
MERGED_AFTER_IT_CLOSED = windows(
    Session(10), *A_RECORD_AT_5, WatermarkStep(18), RecordStep(15, 2), WatermarkStep(30)
)

DIFFERENCES: dict[str, tuple[dict[str, str], Scenario, list[AnyOutput], list[AnyOutput]]] = {
    "a session closes a millisecond after its last timestamp": (
        {"emit": "close"},
        windows(Session(10), *A_RECORD_AT_5, WatermarkStep(14)),
        [Fire(5, 15, (1,)), Watermark(14)],
        [Watermark(14)],
    ),
    "a closed session is merged with a later record and is final twice": (
        {"emit": "close"},
        MERGED_AFTER_IT_CLOSED,
        [Fire(15, 25, (2,)), Watermark(30)],
        [Fire(5, 25, (1, 2)), Watermark(30)],
    ),
    "suppress emits the closed session twice as well": (
        {"emit": "suppress"},
        MERGED_AFTER_IT_CLOSED,
        [Fire(15, 25, (2,)), Watermark(30)],
        [Fire(5, 25, (1, 2)), Watermark(30)],
    ),
    "suppress emits a session while it still accepts records": (
        {"emit": "suppress"},
        windows(Session(10), *A_RECORD_AT_5, WatermarkStep(14), RecordStep(4, 2)),
        [Drop()],
        [Fire(4, 15, (1, 2))],
    ),
    "a closed session is merged with each record": (
        {"emit": "update"},
        windows(Session(10), *A_RECORD_AT_5, WatermarkStep(18), RecordStep(15, 2), trigger="per-record"),
        [Fire(15, 25, (2,))],
        [Fire(5, 25, (1, 2))],
    ),
    "a record ahead of the watermark closes windows": (
        {"emit": "close"},
        windows(Tumbling(10), *A_RECORD_AT_5, RecordStep(12, 2)),
        [],
        [Fire(0, 10, (1,)), Watermark(11)],
    ),
    "no window starts before 1970": (
        {"emit": "close"},
        windows(Sliding(10, 5), WatermarkStep(0), RecordStep(1, 1), WatermarkStep(5)),
        [Fire(-5, 5, (1,)), Watermark(5)],
        [Watermark(5)],
    ),
    "a session in a store in memory is never final": (
        {"emit": "close", "retention": "dsl"},
        windows(Session(10), *A_RECORD_AT_5, WatermarkStep(20)),
        [Fire(5, 15, (1,)), Watermark(20)],
        [Watermark(20)],
    ),
}
"""For each difference: the options, a scenario, and the outputs of its last step under `core` and of Kafka
Streams."""


@pytest.mark.parametrize(
    ("kafka_streams", "name"),
    [(options, name) for name, (options, *_) in DIFFERENCES.items()],
    indirect=["kafka_streams"],
)
def test_each_difference_of_kafka_streams_shows_in_a_small_scenario(
    kafka_streams: KafkaStreamsAdapter, name: str
) -> None:
    _, small, under_core, of_kafka = DIFFERENCES[name]
    assert last_outputs(ReferenceAdapter({}), small) == under_core
    assert last_outputs(kafka_streams, small) == of_kafka


@pytest.mark.parametrize("emit", ["close", "suppress", "update"])
def test_profile_and_deviations_of_kafka_streams_list_every_difference(emit: str) -> None:
    assert undeclared_differences("kafka-streams", {"emit": emit}, component="window", scenarios=400) == []


def rules_by_verdict(results: dict[str, Any]) -> dict[str, set[str]]:
    """Return the ids of the applicable rules by their verdicts; `known` for a failure that is a known deviation."""
    by_verdict: dict[str, set[str]] = {}
    for rule in results["rules"]:
        if rule["verdict"] != "not-applicable":
            verdict = "known" if rule["deviation"] else rule["verdict"]
            by_verdict.setdefault(verdict, set()).add(rule["id"])
    return by_verdict


PASSING = {f"WIN-{number}" for number in (1, 2, 3, 6, 7, 10, 11, 12)}


def test_no_rule_fails_under_the_profile_of_the_adapter(tidegauge: Command, tmp_path: Path) -> None:
    command = ("run", "--adapter", "kafka-streams", "--component", "window", "--budget", "smoke", "-n", "2")
    ended = tidegauge(*command, "--out", "out")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    results = results_in(tmp_path / "out")
    assert results["errors"] == []
    assert rules_by_verdict(results) == {"pass": PASSING, "known": {"WIN-13"}}
    assert sum(results["left_out"].values()) < 50


def test_core_names_the_choice_and_both_defects_of_suppress(tidegauge: Command, tmp_path: Path) -> None:
    command = ("run", "--adapter", "kafka-streams", "--option", "emit=suppress", "--component", "window")
    options = ("--budget", "smoke", "--profile", "core", "--deviations", "none", "-n", "2")
    ended = tidegauge(*command, *options, "--out", "out")
    assert ended.returncode == 1, ended.stdout + ended.stderr
    results = results_in(tmp_path / "out")
    (diagnosis,) = results["components"]
    assert {term["name"] for term in diagnosis["model"]} == {
        "window-session-with-two-ends",
        "window-state-kept-for-ever",
    }
    assert diagnosis["unexplained"] == ""
    failing = {"WIN-3", "WIN-10", "WIN-13"}
    assert rules_by_verdict(results) == {"pass": PASSING - failing, "fail": failing}


def test_a_jvm_of_kafka_streams_that_is_killed_costs_no_more_than_its_scenario(
    kafka_streams: KafkaStreamsAdapter,
) -> None:
    component = component_within("window", describe("kafka-streams", kafka_streams).shapes)
    drawn = [draw_history(component, 1, index, CORE) for index in range(60)]
    before = run(kafka_streams, drawn)
    (jvm,) = psutil.Process().children()
    jvm.kill()
    jvm.wait()
    assert run(kafka_streams, drawn) == before
    kafka_streams.close()
    assert psutil.Process().children() == []
