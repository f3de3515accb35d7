"""`tidegauge report`: any results document can be shown again, and what is none is named in one line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from conftest import Command
from hostile_results import HOSTILE, hostile_results
from report_samples import results, rule

from tidegauge.commands.summary import print_summary
from tidegauge.run.own_folder import MARKER
from tidegauge.wire.results import Results, encode_results, read_results
from tidegauge.wire.scenario import BadInput

VIEWS = {"report.html", "junit.xml", "summary.md", "badge.svg", "badge.json"}


def changed(**fields: object) -> bytes:
    """A results document with other fields."""
    return json.dumps({**msgspec.to_builtins(results()), **fields}).encode()


WHOLE = encode_results(results())

AGAIN = "run again, or give the folder of its journal to `tidegauge report`"
NOT_OURS = "is JSON, but no results document"
OF_A_RUN = "give the results.json of a run"


@pytest.mark.parametrize(
    ("document", "problem", "remedy"),
    [
        (b"", "is empty, no results document", AGAIN),
        (b" \n", "is empty, no results document", AGAIN),
        (WHOLE[:-20], "is cut off or not JSON (Input data was truncated)", AGAIN),
        (WHOLE[: len(WHOLE) // 2], "is cut off or not JSON", AGAIN),
        (b"<html></html>", "is cut off or not JSON", AGAIN),
        (WHOLE + b"}", "is cut off or not JSON", AGAIN),
        (b"[" * 200_000, "is cut off or not JSON", AGAIN),
        (b'{"a": "\xff\xfe"}', "is not UTF-8, so no results document", OF_A_RUN),
        (WHOLE.decode().encode("utf-16"), "is not UTF-8, so no results document", OF_A_RUN),
        (b'{"schema": "\\ud800"}', "is cut off or not JSON", AGAIN),
        (b"[]", NOT_OURS, OF_A_RUN),
        (b"null", NOT_OURS, OF_A_RUN),
        (b'{"tests": 3}', NOT_OURS, OF_A_RUN),
        (changed(schema=7), f"{NOT_OURS} (its schema is 7)", OF_A_RUN),
        (changed(schema="junit/1"), f"{NOT_OURS} (its schema is 'junit/1')", OF_A_RUN),
        (changed(schema="tidegauge-results/x"), NOT_OURS, OF_A_RUN),
        (changed(schema="tidegauge-results/" + "9" * 5000), NOT_OURS, OF_A_RUN),
        (changed(schema="\x1b[31m" + "x" * 10**6), "'\\x1b[31mxxx", OF_A_RUN),
        (
            changed(schema="tidegauge-results/4"),
            "is of schema tidegauge-results/4, this Tidegauge reads tidegauge-results/3",
            "upgrade tidegauge",
        ),
        (
            changed(schema="tidegauge-results/1", tidegauge="0.0.3"),
            "is of schema tidegauge-results/1, this Tidegauge reads tidegauge-results/3",
            "run again, or show it with the Tidegauge 0.0.3 that wrote it",
        ),
        (
            changed(rules=None),
            "is no whole results document: Expected `array`, got `null` - at `$.rules`",
            AGAIN,
        ),
        (changed(seed="x"), "is no whole results document: Expected `int`, got `str` - at `$.seed`", AGAIN),
        (changed(rules=[{"verdict": "\x1b[31m" * 9000}]), "is no whole results document: ", AGAIN),
        (WHOLE.replace(b": 20260101", b": " + b"9" * 5000), "is ", AGAIN),
        (WHOLE.replace(b": 83.4", b": 1e999"), "is ", AGAIN),
    ],
)
def test_what_is_no_results_document_is_named_with_its_remedy(
    tmp_path: Path, document: bytes, problem: str, remedy: str
) -> None:
    path = tmp_path / "old.json"
    path.write_bytes(document)
    with pytest.raises(BadInput) as caught:
        read_results(path)
    line = str(caught.value)
    assert line.startswith(f"{path} ")
    assert problem in line
    assert line.endswith(remedy)
    assert len(line.removeprefix(str(path))) < 400
    assert line.isprintable()


def test_a_document_that_is_not_there_or_a_folder_is_named_too(tmp_path: Path) -> None:
    with pytest.raises(
        BadInput, match=r"x\.json: No such file or directory; give the results.json of a run$"
    ):
        read_results(tmp_path / "x.json")
    with pytest.raises(BadInput, match=r" is a folder; give the results.json in it$"):
        read_results(tmp_path)


def test_a_document_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_bytes(encode_results(results([rule(1, "fail")])))
    assert read_results(path) == results([rule(1, "fail")])


def saved(folder: Path, document: Results) -> Path:
    """A results document in a folder of its own."""
    folder.mkdir()
    path = folder / "results.json"
    path.write_bytes(encode_results(document))
    return path


def test_an_old_document_is_shown_again_beside_it_and_keeps_its_exit_code(
    tmp_path: Path, tidegauge_here: Command
) -> None:
    path = saved(tmp_path / "old", results([rule(1), rule(2, "fail")]))
    before = path.read_bytes()
    ended = tidegauge_here("report", "old/results.json")
    assert (ended.returncode, ended.stderr) == (1, "")
    assert {found.name for found in path.parent.iterdir()} == {*VIEWS, MARKER, "results.json"}
    assert path.read_bytes() == before
    last = ended.stdout.splitlines()[-1]
    assert last == "report: old/report.html, beside it badge.svg, junit.xml, summary.md"
    for name, code, exit_code in (("conforming", 0, 0), ("strange", 256, 1)):
        other = saved(tmp_path / name, results(exit_code=code))
        assert tidegauge_here("report", str(other)).returncode == exit_code


def test_the_views_go_where_they_are_told(tmp_path: Path, tidegauge_here: Command) -> None:
    path = saved(tmp_path / "old", results())
    ended = tidegauge_here("report", "old/results.json", "--out", "new/folder", "--report", "junit")
    assert ended.returncode == 0, ended.stderr
    assert {found.name for found in (tmp_path / "new" / "folder").iterdir()} == {*VIEWS, MARKER}
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.slower
def test_a_journal_gives_results_and_views_where_they_are_told(
    tmp_path: Path, tidegauge_here: Command
) -> None:
    wrong = ("--adapter", "mutant:valve-lower-watermark-accepted", "--budget", "smoke", "-n", "1")
    ran = tidegauge_here("run", *wrong, "--component", "valve", "--out", "out")
    assert ran.returncode == 1, ran.stderr
    assert ran.stdout.count("report: ") == 1
    assert {path.name for path in (tmp_path / "out").iterdir()} >= {*VIEWS, "results.json", "journal.jsonl"}
    ended = tidegauge_here("report", "out", "--out", "again")
    assert ended.returncode == 1
    there = {path.name for path in (tmp_path / "again").iterdir()}
    assert there == {*VIEWS, MARKER, "results.json", "counterexamples"}


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("none.json",), "none.json: No such file or directory; give the results.json of a run"),
        (("text.json",), f"text.json is empty, no results document; {AGAIN}"),
        (("nowhere",), "nowhere/journal.jsonl holds no run; give the --out folder of one"),
        (
            ("good.json", "--out", "text.json"),
            "output folder text.json cannot be written: File exists; choose another",
        ),
        (
            ("good.json", "--report", "pdf"),
            "unknown report 'pdf'; on request there are: allure; always written are: badge, html, junit, markdown",
        ),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    tmp_path: Path, tidegauge_here: Command, arguments: tuple[str, ...], line: str
) -> None:
    (tmp_path / "text.json").write_bytes(b"")
    (tmp_path / "good.json").write_bytes(WHOLE)
    ended = tidegauge_here("report", *arguments)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == f"tidegauge: {line}\n"


def test_an_unknown_report_is_refused_before_the_run(tmp_path: Path, tidegauge_here: Command) -> None:
    ended = tidegauge_here("run", "--adapter", "reference", "--report", "pdf")
    assert ended.returncode == 2
    assert ended.stderr.startswith("tidegauge: unknown report 'pdf'; ")
    assert list(tmp_path.iterdir()) == []


REPORTS = """
def write(results, folder):
    path = folder / "mine.txt"
    path.write_text(results.profile)
    return path

def on_request(results, folder):
    folder.mkdir()
    return write(results, folder)

def broken(results, folder):
    raise ValueError("first line\\nsecond \\x1b[31m" + "x" * 10_000)

def leaves(results, folder):
    raise SystemExit(0)

def says_nothing(results, folder):
    return None
"""


@pytest.fixture
def registered(tmp_path: Path, engine_module: Callable[[str, str], None]) -> Callable[..., None]:
    """Registers reports of a distribution of somebody else's."""

    def register(requested: str = "", **reports: str) -> None:
        engine_module("my_reports", REPORTS)
        folder = tmp_path / "mine-1.0.dist-info"
        folder.mkdir()
        lines = ["[tidegauge.reports]", *(f"{name} = {place}" for name, place in reports.items())]
        lines += ["[tidegauge.reports_on_request]", requested]
        (folder / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
        (folder / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n", encoding="utf-8"
        )

    return register


def test_a_report_of_somebody_else_is_always_written(
    tmp_path: Path, registered: Callable[..., None], tidegauge: Command
) -> None:
    registered("theirs = my_reports:on_request", mine="my_reports:write")
    saved(tmp_path / "old", results())
    ended = tidegauge("report", "old/results.json", "--report", "theirs")
    assert ended.returncode == 0, ended.stderr
    assert (tmp_path / "old" / "mine.txt").read_text() == "core"
    assert (tmp_path / "old" / "theirs-results" / "mine.txt").read_text() == "core"


@pytest.mark.parametrize(
    ("place", "line"),
    [
        ("my_reports:broken", "ValueError: first line second [31mxxxxx"),
        pytest.param("my_reports:leaves", "SystemExit: 0", marks=pytest.mark.slower),
        pytest.param("my_reports:says_nothing", "TypeError: ", marks=pytest.mark.slower),
        pytest.param("my_reports:absent", "AttributeError: ", marks=pytest.mark.slower),
        pytest.param(
            "no_such_module:write",
            "ModuleNotFoundError: No module named 'no_such_module'",
            marks=pytest.mark.slower,
        ),
    ],
)
def test_a_report_that_fails_takes_nothing_else_with_it(
    tmp_path: Path, registered: Callable[..., None], tidegauge: Command, place: str, line: str
) -> None:
    registered(a_first=place, z_last="my_reports:write")
    for name, document, code in (
        ("conforms", results(), 3),
        ("fails", results([rule(1), rule(2, "fail")]), 1),
    ):
        saved(tmp_path / name, document)
        ended = tidegauge("report", f"{name}/results.json")
        assert ended.returncode == code
        assert ended.stderr.startswith(f"tidegauge: report 'a_first' failed: {line}")
        assert ended.stderr.count("\n") == 1
        assert len(ended.stderr) < 500
        assert "\x1b" not in ended.stderr
        assert {path.name for path in (tmp_path / name).iterdir()} == {
            *VIEWS,
            MARKER,
            "mine.txt",
            "results.json",
        }


@pytest.mark.parametrize(
    "text", [HOSTILE, "[bold]x[/bold] [/] [blink", "x" * 3_000_000, "\x9b31m\x07\r\x08\x0b"]
)
def test_a_terminal_obeys_nothing_that_an_engine_says(capsys: pytest.CaptureFixture[str], text: str) -> None:
    print_summary(hostile_results(text), [Path("report.html")])
    printed = capsys.readouterr().out
    assert not set(printed) & {chr(code) for code in (*range(9), *range(11, 32), *range(127, 160))}
    assert not any(0xD800 <= ord(character) < 0xE000 for character in printed)
    assert len(printed) < 60_000
    if text.startswith("[bold]"):
        assert text in printed


@pytest.mark.slower
def test_results_of_an_engine_with_a_hostile_name_are_written_and_shown(
    tmp_path: Path, engine_module: Callable[[str, str], None], tidegauge_here: Command
) -> None:
    engine_module("hostile", ENGINE)
    smoke = ("--component", "clock", "--budget", "smoke", "-n", "1", "--report", "allure")
    ended = tidegauge_here("run", "--adapter", "hostile:Engine", *smoke)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    folder = tmp_path / "tidegauge-results"
    assert {path.name for path in folder.iterdir()} >= {*VIEWS, "results.json", "allure-results"}
    assert "\x1b" not in ended.stdout + ended.stderr
    document: dict[str, Any] = json.loads((folder / "results.json").read_bytes())
    assert document["implementation"]["name"].startswith("<script>")


ENGINE = r"""
from msgspec.structs import replace
from tidegauge_adapters.reference import ReferenceAdapter

class Engine(ReferenceAdapter):
    def describe(self):
        name = "<script>alert(1)</script>|`[31m]]> @all"
        return replace(super().describe(), name=name, version="<b>1</b>", remark="]]></style>" + "y" * 9000)
"""
