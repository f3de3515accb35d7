"""`tidegauge init --language pyspark`: a project around a processor, which reads what it can from the class."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Command, plain_environment, run_module

from tidegauge_adapters.processors.new_project.described_processor import described
from tidegauge_adapters.processors.new_project.source_reader import source_of

HEAD = """
from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor
"""
DECLARED = (
    HEAD
    + """
OUTPUT_SCHEMA = "user string, country string, n long"

class Totals(StatefulProcessor):
    INPUT_SCHEMA = "user string, country string, at timestamp, value long"
    KEY = ["user", "country"]

    def init(self, handle):
        self.handle = handle
        self.total = handle.getValueState("total", "n long")

    def handleInputRows(self, key, rows, timerValues):
        (n,) = self.total.get() or (0,)
        self.total.update((n + sum(row.value for row in rows),))
        self.handle.registerTimer(timerValues.getCurrentWatermarkInMs() + 60_000)
        return iter(())

    def handleExpiredTimer(self, key, timerValues, expiredTimerInfo):
        if self.total.exists():
            yield Row(user=key[0], country=key[1], n=self.total.get()[0])
            self.total.clear()

class NotOne:
    pass

A_LIST = [1]
"""
)
BARE = (
    HEAD
    + """
class Seen(StatefulProcessor):
    def __init__(self, keep):
        self.keep = keep

    def init(self, handle):
        self.seen = handle.getMapState("seen", "id long", "id long", ttlDurationMs=self.keep)

    def handleInputRows(self, key, rows, timerValues):
        now = timerValues.getCurrentProcessingTimeInMs()
        for row in rows:
            if not self.seen.containsKey((row.id,)):
                self.seen.updateValue((row.id,), (row.id,))
                yield Row(user=key[0], id=row.id, price=row.price, at=now)

def counted(key, frames, state):
    state.setTimeoutTimestamp(state.getCurrentWatermarkMs() + 1)
    yield from frames
"""
)


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with two modules, in which an own process may import them."""
    (tmp_path / "declared_job.py").write_text(DECLARED, encoding="utf-8")
    (tmp_path / "bare_job.py").write_text(BARE, encoding="utf-8")
    before = set(sys.modules)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    for name in set(sys.modules) - before:
        if name in ("declared_job", "bare_job"):
            del sys.modules[name]


def test_the_written_processor_is_right_and_declares_all_that_holds_for_it(
    tidegauge: Command, tmp_path: Path
) -> None:
    ended = tidegauge("init", "my counts", "--language", "pyspark")
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.endswith("\nNow: cd 'my counts' && tidegauge processor checks:minute_counts\n")
    files = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert files == {
        f"my counts/{name}"
        for name in (
            *("minute_counts.py", "checks.py", "test_processor.py", "tox.ini", "README.md"),
            ".github/workflows/processors.yml",
        )
    }
    inside = run_module(tmp_path / "my counts", "tidegauge")
    ended = inside("processor", "checks:minute_counts", "--traces", "60")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    outcomes = [line.split()[0] for line in ended.stdout.splitlines()[1:]]
    assert outcomes.count("held") == len(outcomes) - 2
    assert "skipped zone" in ended.stdout, "no column is a timestamp"
    assert "The batch function leaves out late, which is not compared." in ended.stdout


def test_a_wrong_change_of_it_fails_the_written_test(tidegauge: Command, tmp_path: Path) -> None:
    assert tidegauge("init", "counts", "--language", "pyspark").returncode == 0
    module = tmp_path / "counts" / "minute_counts.py"
    text = module.read_text(encoding="utf-8")
    assert "if end <= watermark:" in text
    module.write_text(text.replace("if end <= watermark:", "if row.ts <= watermark:"), encoding="utf-8")
    pytest_there = run_module(tmp_path / "counts", "pytest")
    ended = pytest_there("-q", "-p", "no:cacheprovider", environment=plain_environment())
    assert ended.returncode == 1, ended.stderr
    assert re.search(r"^E +AssertionError: batch: ", ended.stdout, re.MULTILINE), ended.stdout


@pytest.mark.usefixtures("modules")
def test_what_a_class_declares_is_taken_over(tidegauge: Command, tmp_path: Path) -> None:
    ended = tidegauge("init", "mine", "--language", "pyspark", "--processor", "declared_job:Totals")
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.endswith("\nNow: cd mine && tidegauge processor checks:totals\n")
    checks = (tmp_path / "mine" / "checks.py").read_text(encoding="utf-8")
    assert "FILL IN" not in checks
    for line in (
        "from declared_job import OUTPUT_SCHEMA, Totals  # noqa: E402",
        "    make=Totals,",
        "    input_schema=Totals.INPUT_SCHEMA,",
        "    output_schema=OUTPUT_SCHEMA,",
        '    key=("user", "country"),',
        '    time="at",',
        "    # States: total (value). One that may remain forever:",
    ):
        assert line in checks.splitlines()
    inside = run_module(tmp_path / "mine", "tidegauge")
    ended = inside("processor", "checks:totals", "--only", "accepts", "--traces", "20")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    workflow = (tmp_path / "mine" / ".github/workflows/processors.yml").read_text(encoding="utf-8")
    assert 'working-directory: "mine"' in workflow


@pytest.mark.usefixtures("modules")
def test_what_a_class_does_not_say_is_marked_with_what_its_source_shows(
    tidegauge: Command, tmp_path: Path
) -> None:
    ended = tidegauge("init", "mine", "--language", "pyspark", "--processor", "bare_job:Seen")
    assert ended.returncode == 0, ended.stderr
    assert "\nFill in 3 lines of mine/checks.py, marked FILL IN.\nThen: cd mine && tidegauge" in ended.stdout
    checks = (tmp_path / "mine" / "checks.py").read_text(encoding="utf-8")
    ast.parse(checks)
    marked = [line.partition("  # ")[0].strip() for line in checks.splitlines() if "# FILL IN" in line]
    assert marked == [
        "make=lambda: Seen(keep=...),",
        'input_schema="user ?, id ?, price ?",',
        'output_schema="user ?, id ?, price ?, at ?",',
    ]
    assert '    key="user",' in checks.splitlines()
    assert '    time_mode="ProcessingTime",' in checks.splitlines()
    ended = run_module(tmp_path / "mine", "tidegauge")("processor", "checks:seen")
    assert ended.returncode == 2
    assert "input_schema: the schema 'user ?, id ?, price ?' has " in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


@pytest.mark.usefixtures("modules")
def test_a_function_of_apply_in_pandas_with_state_is_known_by_its_arguments() -> None:
    import bare_job  # type: ignore[import-not-found]

    about = described(bare_job.counted, "bare_job")
    assert (about.form, about.arguments, about.has_time) == ("group-state", (), True)


@pytest.mark.usefixtures("modules")
def test_the_source_of_a_processor_shows_its_columns() -> None:
    import bare_job

    source = source_of(bare_job.Seen)
    assert source.columns_read == ("id", "price")
    assert source.columns_written == ("user", "id", "price", "at")
    assert source.key == ("user",)
    assert not source.has_timers
    assert source_of(int).columns_read == ()


@pytest.mark.usefixtures("modules")
@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("nosuch:Dedup", "--language pyspark: there is no module 'nosuch' in "),
        ("declared_job:Nope", "--language pyspark: declared_job has no 'Nope'; it has "),
        ("declared_job", "--language pyspark: 'declared_job' is not MODULE:NAME"),
        (
            "declared_job:NotOne",
            "declared_job:NotOne is not a stateful processor, it has no method handleInputRows",
        ),
        ("declared_job:A_LIST", "declared_job:A_LIST is list; name the class of a processor"),
    ],
)
def test_bad_input_is_one_line_and_writes_nothing(
    target: str, said: str, tidegauge: Command, tmp_path: Path
) -> None:
    ended = tidegauge("init", "mine", "--language", "pyspark", "--processor", target)
    assert ended.returncode == 2
    assert said in ended.stderr
    assert len(ended.stderr.splitlines()) == 1
    assert not (tmp_path / "mine").exists()
