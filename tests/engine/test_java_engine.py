"""The engine in Java of `examples/`: one file, compiled as it is started."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import PATIENCE, ROOT, Command, results_in

pytestmark = pytest.mark.slower

SAMPLE = ROOT / "examples" / "java" / "Engine.java"


@pytest.fixture(autouse=True)
def java() -> None:
    """Java, or what to do about it."""
    assert shutil.which("javac"), "no Java compiler found: apt-get install openjdk-17-jdk-headless"


def answers(*requests: dict[str, object]) -> list[dict[str, object]]:
    """What the sample answers to requests, and to the end of its stdin."""
    ended = subprocess.run(
        ["java", str(SAMPLE)],
        input="".join(json.dumps(one) + "\n" for one in requests),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
        timeout=PATIENCE,
    )
    return [json.loads(line) for line in ended.stdout.splitlines()]


def test_the_sample_conforms(tidegauge: Command, tmp_path: Path) -> None:
    ended = tidegauge("run", "--command", f"java {SAMPLE}", "--budget", "smoke", "--out", "out")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    results = results_in(tmp_path / "out")
    assert results["counts"]["pass"] == 31
    isolated = [one for one in results["properties"] if one["name"].endswith("-interleaved")]
    assert [one["verdict"] for one in isolated] == ["pass"] * 3


def test_the_sample_speaks_the_protocol(tidegauge: Command) -> None:
    ended = tidegauge("smoke", "--command", f"java {SAMPLE}")
    assert ended.returncode == 0, ended.stdout


def test_a_failure_is_answered_as_one_and_the_next_request_is_answered() -> None:
    step = {"request": "step", "session": 'ä "\\\n', "step": {"step": "watermark"}}
    setup = {"request": "open", "session": 'ä "\\\n', "component": "valve", "setup": {"channels": 1}}
    opened, failed, unknown = answers(setup, step, {"request": "dance"})
    assert opened == {"answer": "opened", "session": 'ä "\\\n'}
    assert failed["outputs"] == []
    assert "NullPointerException" in str(failed["failure"])
    assert unknown == {"answer": "error", "text": "unknown request dance"}


def test_timestamps_have_64_bits() -> None:
    ends = ["MIN", 2**53 - 1, str(2**53), "MAX"]
    steps = [{"step": "watermark", "channel": 0, "timestamp": end} for end in ends]
    scenario = {"component": "valve", "id": "ends", "setup": {"channels": 1}, "history": steps}
    (transcript,) = answers({"request": "run", "scenarios": [scenario]})
    assert transcript["outputs"] == [[], *([{"output": "watermark", "timestamp": end}] for end in ends[1:])]
