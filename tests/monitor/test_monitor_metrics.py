"""The metrics of the monitor, and the alert rules and the dashboard that use them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import threading
import urllib.request
from typing import Any

import pytest
import yaml
from conftest import ROOT
from prometheus_client.parser import text_string_to_metric_families
from written_logs import written

from tidegauge.wire.scenario import BadInput
from tidegauge_pipeline.event_log.names import FINDINGS
from tidegauge_pipeline.event_log.schema import rows_of
from tidegauge_pipeline.monitor import metrics
from tidegauge_pipeline.monitor.watch import Watch

NOW = 1_780_000_000_000
"""A day of 2026 (ms)."""

FOLDER = ROOT / "conformance" / "tidegauge_pipeline" / "monitor"


class Rows:
    """A source that has its rows from the beginning."""

    has_ended = True

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self._table = rows_of(written(rows), "the log")

    def poll(self) -> Any:
        table, self._table = self._table, self._table.slice(0, 0)
        return table


def watched(rows: list[dict[str, Any]]) -> Watch:
    watch = Watch(Rows(rows), 600_000, lambda change: None, lambda: NOW + 60_000)
    watch.follow(1, threading.Event())
    return watch


def job(name: str = "shop") -> list[dict[str, Any]]:
    """A source whose watermark is 5 s behind, and an operator with 3 late rows."""
    at = {"job": name, "processing_time": NOW}
    return [
        {**at, "source": "orders", "kind": "record", "event_time": NOW, "count": 100},
        {**at, "source": "orders", "kind": "watermark", "event_time": NOW - 5000},
        {**at, "source": "sums", "kind": "watermark", "event_time": 2**63 - 1},
        {**at, "source": "sums", "kind": "late", "event_time": NOW - 9000, "count": 3},
        {**at, "source": "sums", "kind": "state-size", "count": 7},
    ]


def exposition(watch: Watch) -> str:
    """Return what a server answers to Prometheus, on a free port of this machine."""
    port = metrics.serve(watch, "127.0.0.1", 0)
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        return str(answer.read().decode())


def samples(text: str) -> dict[tuple[str, ...], float]:
    """Return the value of each sample, by its name and the values of its labels."""
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_prometheus_reads_what_the_job_has_shown() -> None:
    shown = samples(exposition(watched(job())))
    assert shown["tidegauge_records_total", "shop", "orders", "0"] == 100
    assert shown["tidegauge_late_rows_total", "shop", "sums", "0"] == 3
    assert shown["tidegauge_state_rows", "shop", "sums", "0"] == 7
    assert shown["tidegauge_last_row_timestamp_seconds", "shop", "orders", "0"] == NOW / 1000
    assert shown["tidegauge_rows_read_total",] == 5
    assert shown["tidegauge_finding_active", "late-rows", "shop", "sums"] == 1
    assert shown["tidegauge_finding_active", "late-rows", "shop", "orders"] == 0
    lags = [key for key in shown if key[0] == "tidegauge_watermark_lag_seconds"]
    assert lags == [("tidegauge_watermark_lag_seconds", "shop", "orders", "0")]  # MAX has no lag


def test_the_lag_is_that_behind_the_clock() -> None:
    collector = metrics.WatchMetrics(watched(job()), lambda: NOW / 1000 + 60)
    (lag,) = [each for each in collector.collect() if each.name == "tidegauge_watermark_lag_seconds"]
    assert [sample.value for sample in lag.samples] == [65]


def test_series_and_labels_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "MOST_SUBTASKS", 4)
    monkeypatch.setattr(metrics, "MOST_OPERATORS", 3)
    names = ['a\nb"\\', "x" * 1000, *(f"job {number}" for number in range(10))]
    text = exposition(watched([row for name in names for row in job(name)]))
    shown = samples(text)
    by_name: dict[str, int] = {}
    for key in shown:
        by_name[key[0]] = by_name.get(key[0], 0) + 1
    assert by_name["tidegauge_records_total"] == 4
    assert by_name["tidegauge_finding_active"] == 3 * len(FINDINGS)
    assert shown["tidegauge_subtasks_not_exported",] == 2 * len(names) - 4
    long = samples(exposition(watched([*job(names[0]), *job(names[1])])))
    assert {key[1] for key in long if key[0] == "tidegauge_records_total"} == {names[0], "x" * 200}


def test_a_port_that_is_in_use_is_refused() -> None:
    watch = watched(job())
    port = metrics.serve(watch, "127.0.0.1", 0)
    with pytest.raises(
        BadInput, match=f"--prometheus {port}: 127.0.0.1:{port} cannot be used: .* name another"
    ):
        metrics.serve(watch, "127.0.0.1", port)


def expressions() -> list[str]:
    """Return what the alert rules and the dashboard ask Prometheus."""
    rules = yaml.safe_load((FOLDER / "alerts.yml").read_text())
    dashboard = json.loads((FOLDER / "dashboard.json").read_text())
    queries = [variable["query"] for variable in dashboard["templating"]["list"]]
    return [
        *(rule["expr"] for group in rules["groups"] for rule in group["rules"]),
        *(target["expr"] for panel in dashboard["panels"] for target in panel["targets"]),
        *(query["query"] for query in queries if isinstance(query, dict)),
    ]


def test_every_metric_of_rules_and_dashboard_exists() -> None:
    text = exposition(watched(job()))
    used = {name for text in expressions() for name in re.findall(r"\btidegauge_\w+", text)}
    assert used == {key[0] for key in samples(text)} - {"tidegauge_subtasks_not_exported"}


def test_the_page_lists_every_metric() -> None:
    page = (ROOT / "conformance" / "MONITOR.md").read_text()
    for key in samples(exposition(watched(job()))):
        assert f"`{key[0]}`" in page


@pytest.mark.slower
def test_prometheus_accepts_rules_and_exposition() -> None:
    searched = os.pathsep.join([os.environ.get("TIDEGAUGE_PROMTOOL", ""), os.environ["PATH"]])
    promtool = shutil.which("promtool", path=searched)
    assert promtool is not None, "no promtool: .ci/promtool fetches it, and `tox -e slower` finds it there"
    rules = subprocess.run(
        [promtool, "check", "rules", FOLDER / "alerts.yml"], capture_output=True, text=True, check=False
    )
    assert rules.returncode == 0, rules.stderr
    text = exposition(watched(job()))
    checked = subprocess.run(
        [promtool, "check", "metrics"], input=text, capture_output=True, text=True, check=False
    )
    assert (checked.returncode, checked.stderr) == (0, "")
