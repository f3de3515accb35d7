"""The programs of `examples/`: one of them small, and what they may use. `tox -e examples` runs them whole."""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tidegauge_adapters.spark_session.session import running_spark
from tidegauge_spark import WATERMARK_LAG_CONF, register

PROGRAMS = ("aligned_two_sources", "idle_partition", "backlog_catch_up")
MODULES = ("event_time_plot", "local_session", "partitioned_log", "watched_query")


@pytest.fixture(name="example")
def _example(root: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], ModuleType]]:
    """Imports an example as Python finds it that runs it."""
    monkeypatch.syspath_prepend(root / "examples")
    yield importlib.import_module
    for name in (*PROGRAMS, *MODULES):
        sys.modules.pop(name, None)


@pytest.mark.slower
@pytest.mark.xdist_group("spark")
def test_a_job_that_knows_of_its_backlog_catches_up_in_fewer_batches_with_fewer_results(
    example: Callable[[str], ModuleType], tmp_path: Path
) -> None:
    """200 s behind: 800 rows wait and 20 arrive with each batch, which reads 100 of them, or up to 1,000."""
    spark = running_spark().session
    program = example("backlog_catch_up")
    try:
        informed, other = program.compare(spark, tmp_path, 200).values()
    finally:
        spark.conf.unset(WATERMARK_LAG_CONF)
        register(spark)
    batches = "micro-batches until it has caught up"
    results = "results published until the next one"
    # 100 rows before anything is known, then all the rest. The other one gains 80 rows a batch.
    assert (informed.figures[batches], other.figures[batches]) == (2, 9)
    # Each of 8 machines once, when it is over; and with each batch.
    assert (informed.figures[results], other.figures[results]) == (8, 80)
    assert [(change.query_name, change.batch_id, change.backlog) for change in informed.changes] == [
        ("totals", 0, True),
        ("totals", 1, False),
    ]
    assert other.changes == []
    # Whoever has caught up has counted what has arrived: 800 rows, and 4 a second.
    assert informed.figures["rows counted in the end"] == 800 + 4 * 5 * (2 + program.AFTERWARDS)
    assert informed.panel.backlog == [(5.0, 10.0)]


def test_without_matplotlib_one_line_says_what_to_install(
    example: Callable[[str], ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setattr(sys, "argv", ["program", str(tmp_path / "output")])
    with pytest.raises(SystemExit) as ended:
        example("event_time_plot").folder_and_length("a program", "seconds", 1)
    assert str(ended.value.code).splitlines() == [
        "the examples draw with matplotlib, which is not there: pip install 'tidegauge[examples]'"
    ]
    assert list(tmp_path.iterdir()) == []


def test_a_table_has_a_column_for_each_run(example: Callable[[str], ModuleType]) -> None:
    columns = {"a": {"rows": 1, "late rows": 20}, "the other": {"rows": 300, "late rows": 4}}
    assert example("event_time_plot").table(columns).splitlines() == [
        "            a  the other",
        "rows        1        300",
        "late rows  20          4",
    ]


@pytest.mark.parametrize("name", [*PROGRAMS, *MODULES])
def test_examples_are_plain_user_code(root: Path, name: str) -> None:
    """They use what `tidegauge_spark` offers to everybody, and nothing of the kit."""
    tree = ast.parse((root / "examples" / f"{name}.py").read_text(encoding="utf-8"))
    imported = {
        module
        for node in ast.walk(tree)
        for module in (
            [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else []
        )
    }
    foreign = {module for module in imported if module.partition(".")[0] not in sys.stdlib_module_names}
    ours = {"tidegauge_spark", "tidegauge_spark.operators.aggregates"}
    allowed = {*ours, "pyarrow", "pyarrow.parquet", "matplotlib", *MODULES}
    assert {module for module in foreign - allowed if not module.startswith("pyspark.sql")} == set()
