"""The plain Java programs that show Flink's live defects print what their page says."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from flink_jars import flink_jar

pytestmark = pytest.mark.flink

FOLDER = Path(__file__).parents[2] / "adapters" / "flink_defects"
PRINTED = dict(
    re.findall(
        r"\[(\w+)\.java\]\(\1\.java\)\.\n\n```text\n(.*?)```", (FOLDER / "README.md").read_text(), re.S
    )
)
"""What each program prints, by its name."""


EVENT_LOG = FOLDER.parent / "flink_event_log"


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The class path of the compiled programs, with Flink's jar."""
    flink = flink_jar()
    folder = tmp_path_factory.mktemp("classes")
    programs = sorted(map(str, [*FOLDER.glob("*.java"), *EVENT_LOG.glob("*.java")]))
    subprocess.run(["javac", "-nowarn", "-d", str(folder), "-cp", str(flink), *programs], check=True)
    return f"{folder}:{flink}"


def test_every_program_stands_on_the_page_and_all_on_the_page_are_there() -> None:
    assert sorted(PRINTED) == sorted(file.stem for file in FOLDER.glob("*.java"))


@pytest.mark.parametrize("name", PRINTED)
def test_flink_does_what_the_page_says(name: str, classes: str) -> None:
    ended = subprocess.run(
        ["java", "-Xmx256m", "-cp", classes, name], capture_output=True, text=True, check=False, timeout=120
    )
    assert ended.stdout == PRINTED[name], ended.stderr
    assert ended.returncode == 0


def test_flink_writes_the_event_log_that_is_kept(classes: str, tmp_path: Path) -> None:
    """But for the times, and for which subtask reads which split."""
    subprocess.run(
        ["java", "-Xmx256m", "-cp", classes, "FlinkEventLog", str(tmp_path)], check=True, timeout=120
    )
    assert _sources(sorted(tmp_path.glob("*.jsonl"))) == _sources([EVENT_LOG / "flink-2.3.0.jsonl"])


def _sources(files: list[Path]) -> list[tuple[str, list[tuple[str, int | None]]]]:
    """What each subtask of the sources did: kinds and event times, in order."""
    rows: dict[tuple[str, int], list[tuple[str, int | None]]] = {}
    for file in files:
        for row in map(json.loads, file.read_text().splitlines()):
            if row["source"]:
                rows.setdefault((row["source"], row["subtask"]), []).append((row["kind"], row["event_time"]))
    return sorted((source, did) for (source, _), did in rows.items())
