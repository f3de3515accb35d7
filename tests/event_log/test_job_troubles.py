"""Findings about inputs, alignment, lag and state: for each, a log that shows it and one close to it."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Command
from job_logs import MAX, NOW, Row, at, findings_in, names_in
from written_logs import written


@pytest.mark.parametrize("has_restarted", [False, True])
def test_a_watermark_that_regresses(has_restarted: bool) -> None:
    rows = [at(second, "watermark", second, source="orders") for second in range(20)]
    again = [at(20, "restarted", source="orders")] if has_restarted else []
    rows += again + [at(20 + second, "watermark", 10 + second, source="orders") for second in range(20)]
    found = findings_in(rows)
    if has_restarted:
        assert found == ()
        return
    (finding,) = found
    assert (finding.name, finding.begin, finding.part) == ("watermark-regresses", NOW + 20_000, "0")
    assert "1 watermark of 40 is up to 9 s lower" in finding.sentence


def returning(timeout: int, silent: int = 20) -> list[Row]:
    """Return the rows of a source with two splits, of which one stores its records for a while."""
    rows: list[Row] = []
    reached = {"a": 0, "b": 0}
    output, is_idle = -1, False
    for second in range(100):
        for split in "ab":
            is_silent = split == "b" and 40 <= second < 40 + silent
            if is_silent:
                if second - 40 + 1 == timeout:
                    is_idle = True
                    rows.append(at(second, "idle", source="orders", split="b"))
                continue
            if split == "b" and is_idle:
                is_idle = False
                rows.append(at(second, "active", source="orders", split="b"))
            reached[split] = 41 if split == "b" and second == 40 + silent else second
            rows.append(at(second, "record", reached[split], source="orders", split=split))
            rows.append(at(second, "watermark", reached[split] - 5, source="orders", split=split))
        least = min(time for split, time in reached.items() if split == "a" or not is_idle) - 5
        if least > output:
            output = least
            rows.append(at(second, "watermark", output, source="orders"))
    return rows


def test_the_idle_timeout_of_the_remedy_keeps_the_rows() -> None:
    (finding,) = findings_in(returning(timeout=10))
    assert (finding.name, finding.part, finding.share) == ("idle-too-soon", "0 split b", 1.0)
    assert finding.remedy == ("set the idle timeout above 21 s, the longest pause before such a return: 22 s")
    assert findings_in(returning(timeout=22)) == ()


def apart(drift: float | None, speed: int = 20) -> list[Row]:
    """Return the rows of a fast and a slow source, aligned with a drift (s) if there is one, and a join."""
    rows: list[Row] = []
    fast = slow = -100_000.0
    for second in range(200):
        slow += 10
        fast = fast + speed if drift is None else min(fast + speed, slow + drift)
        for source, time in (("fast", fast), ("slow", slow)):
            rows.append(at(second, "record", time, source=source))
            rows.append(at(second, "watermark", time - 1, source=source))
        rows.append(at(second, "watermark", slow - 1, source="join"))
        rows.append(at(second, "state-size", source="join", count=int(fast - slow) + 10))
    return rows


def test_skewed_sources_are_aligned_with_the_drift_of_the_remedy() -> None:
    skew, *others = findings_in(apart(None))
    assert [each.name for each in others] == ["growing-state"]
    assert (skew.name, skew.source, skew.severity) == ("skewed-sources", "fast", "warning")
    assert "subtask 0 of fast is up to 33 min" in skew.sentence
    assert "ahead of subtask 0 of slow, the slowest" in skew.sentence
    assert "the state has reached 2,010 rows" in skew.sentence
    assert "with a drift of 40 s" in skew.remedy
    assert findings_in(apart(40)) == ()


def test_the_command_prints_the_worst_moment_and_takes_the_drift(
    tidegauge_here: Command, tmp_path: Path
) -> None:
    lines = (json.dumps(row) for row in written(apart(None)).to_pylist())
    (tmp_path / "log.jsonl").write_text("\n".join(lines), encoding="utf-8")
    shown = tidegauge_here("check-log", "log.jsonl").stdout
    assert re.search(r"job/fast, since .*, worst at .*: subtask 0 of fast is up to 33 min", shown)
    for drift, is_shown in (("10m", True), ("20m", False)):  # a gap of twice the drift is expected at times
        shown = tidegauge_here("check-log", "log.jsonl", "--max-drift", drift).stdout
        assert ("skewed-sources" in shown) == is_shown


@pytest.mark.parametrize("unblocked", [False, True])
def test_a_source_that_alignment_blocks_for_good(unblocked: bool) -> None:
    rows = [at(second, "watermark", second, source="slow") for second in range(20)]
    rows += [at(second, "watermark", 2 * second, source="fast") for second in range(20)]
    rows.append(at(20, "blocked", source="fast"))
    if unblocked:
        rows.append(at(30, "unblocked", source="fast"))
        rows += [at(second, "watermark", second, source="slow") for second in range(30, 100)]
        rows += [at(second, "watermark", second + 20, source="fast") for second in range(30, 100)]
    rows += [at(99, "report", 19, source="slow")]
    found = findings_in(rows)
    if unblocked:
        assert found == ()
        return
    (finding,) = found
    assert (finding.name, finding.source, finding.begin) == ("alignment-blocks", "fast", NOW + 20_000)
    assert "subtask 0 of slow stands at" in finding.remedy
    assert "it is 19 s behind" in finding.remedy


@pytest.mark.parametrize("speed", [0.5, 0.99])
def test_a_lag_that_grows(speed: float) -> None:
    rows = []
    for second in range(600):
        rows.append(at(second, "record", speed * second, source="orders", count=100))
        rows.append(at(second, "watermark", speed * second - 1, source="orders"))
    found = findings_in(rows)
    if speed > 0.9:
        assert found == ()
        return
    (finding,) = found
    assert (finding.name, finding.severity) == ("backlog", "error")
    assert "behind the clock by 0.50 s per second" in finding.sentence
    assert "2.00 times the present throughput: 200.3 rows/s instead of 100.2" in finding.remedy


@pytest.mark.parametrize("caught_up", [False, True])
def test_a_backlog_that_is_never_caught_up(caught_up: bool) -> None:
    rows = [at(second, "watermark", second, source="orders") for second in range(100)]
    rows.insert(10, at(10, "backlog", source="orders"))
    if caught_up:
        rows.insert(90, at(89, "caught-up", source="orders"))
    assert names_in(rows) == ([] if caught_up else ["backlog"])


@pytest.mark.parametrize("is_bounded", [False, True])
def test_state_that_grows(is_bounded: bool) -> None:
    rows = []
    for second in range(400):
        rows.append(at(second, "watermark", second, source="sums"))
        count = 100 * (second % 50 if is_bounded else second)
        rows.append(at(second, "state-size", source="sums", count=count))
    found = findings_in(rows)
    if is_bounded:
        assert found == ()
        return
    (finding,) = found
    assert finding.name == "growing-state"
    assert "to 39,200 rows: 358,887 rows per hour" in finding.sentence


@pytest.mark.parametrize("fires", [False, True])
def test_rows_that_are_left_in_windows_at_the_end(fires: bool) -> None:
    rows = []
    for second in range(50):
        rows.append(at(second, "record", second, source="orders"))
        rows.append(at(second, "watermark", second - 10, source="orders"))
        rows.append(at(second, "watermark", second - 10, source="sums"))
        rows.append(at(second, "state-size", source="sums", count=12))
    rows.append(at(50, "finished", source="orders"))
    if fires:
        rows.append(at(51, "fire", 60, source="sums"))
        rows.append(at(51, "watermark", MAX, source="sums"))
    found = findings_in(rows)
    if fires:
        assert found == ()
        return
    (finding,) = found
    assert finding.name == "unfired-windows"
    assert "12 rows are in windows" in finding.sentence
    assert "rise by more than 10 s" in finding.remedy


def healthy(seed: int) -> Iterator[Row]:
    """Yield the rows of a healthy job: disorder within the delay, idle inputs that say so and come back with
    new records, restarts, bursts, a night without rows, and a backfill at the start."""
    generator = random.Random(seed)
    seconds = generator.choice([60, 300, 1200])
    delay = generator.choice([2, 10, 60])
    inputs = generator.randint(1, 4)
    begins_night = generator.randrange(seconds) if generator.random() < 0.5 else seconds
    night = seconds // generator.choice([3, 5])
    backfill = generator.choice([0, 0, seconds // 8])
    reached = dict.fromkeys(range(inputs), None) | {}
    away = dict.fromkeys(range(inputs), 0)
    output: float | None = None
    for second in range(seconds):
        if begins_night <= second < begins_night + night:
            continue
        if generator.random() < 0.005:
            yield at(second, "restarted", source="orders")
            yield at(second, "restarted", source="sums")
            reached, output = dict.fromkeys(range(inputs), None), None
            away = dict.fromkeys(range(inputs), 0)
        for split in range(inputs):
            own = {"source": "orders", "split": f"p{split}"}
            if away[split] > 0:
                away[split] -= 1
                if not away[split]:
                    yield at(second, "active", **own)
                continue
            if generator.random() < 0.01 and reached[split] is not None:
                away[split] = generator.randint(2, max(3, seconds // 10))
                yield at(second, "idle", **own)
                continue
            behind = 3600 * (backfill - second) / backfill if second < backfill else 0
            event = second - behind - generator.uniform(0, min(delay, 5) / 2)
            for _ in range(generator.choice([1, 1, 1, 5])):
                yield at(second, "record", event, count=generator.choice([1, 100]), **own)
            if reached[split] is None or event - delay > reached[split]:
                reached[split] = event - delay
                yield at(second, "watermark", event - delay, **own)
        here = [time for split, time in reached.items() if not away[split]]
        if here and None not in here and (output is None or min(here) > output):  # type: ignore[type-var]
            output = min(here)  # type: ignore[type-var]
            yield at(second, "watermark", output, source="orders")
            yield at(second, "watermark", output, source="sums")
        yield at(second, "state-size", source="sums", count=1000 + generator.randrange(500))


@pytest.mark.parametrize("seed", range(60))
def test_a_healthy_job_has_no_finding(seed: int) -> None:
    assert [(finding.name, finding.sentence) for finding in findings_in(list(healthy(seed)))] == []
