"""`tidegauge processor` on modules of a user."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tidegauge.__main__ import application

MODULE = '''
from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor
from tidegauge_adapters.processors import ProcessorUnderTest


class Latest(StatefulProcessor):
    """The time of the latest row of a user, until a minute after it."""

    def init(self, handle):
        self.handle = handle
        self.latest = handle.getValueState("latest", "ts long")

    def handleInputRows(self, key, rows, timerValues):
        ts = max(row.ts for row in rows)
        if self.latest.exists():
            ts = max(ts, self.latest.get()[0])
        self.latest.update((ts,))
        self.handle.registerTimer(ts + 60_000)
        yield from ()

    def handleExpiredTimer(self, key, timerValues, expiredTimerInfo):
        if self.latest.exists() and self.latest.get()[0] + 60_000 == expiredTimerInfo.getExpiryTimeInMs():
            CLEAR
            yield Row(user=key[0], end=expiredTimerInfo.getExpiryTimeInMs())


class NeedsMore(Latest):
    def __init__(self, gap):
        self.gap = gap


described = ProcessorUnderTest(
    make=Latest, input_schema="user string, ts long", output_schema="user string, end long", key="user",
    time="ts", due="end", any_order=True,
)
'''
OPTIONS = ("--output", "user string, end long", "--key", "user", "--time", "ts", "--traces", "40")
INPUT = "user string, ts long"
OUTPUT = "user string, end long"
EXAMPLE = ("--example", '{"user": "ann", "ts": 0}')


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def write(folder: Path, name: str, clears: bool = True, declares: str = "") -> str:
    module = MODULE.replace("CLEAR", "self.latest.clear()" if clears else "pass")
    (folder / f"{name}.py").write_text(module + declares)
    return name


def run(*arguments: str) -> tuple[int, str]:
    ended = CliRunner().invoke(application(("processor",)), ["processor", *arguments], env={"COLUMNS": "200"})
    return ended.exit_code, ended.output


def test_a_class_is_checked_by_a_row_example_and_the_schema_of_its_output(folder: Path) -> None:
    code, output = run(f"{write(folder, 'latest_right')}:Latest", *OPTIONS, *EXAMPLE)
    assert code == 0, output
    assert "Latest: 40 traces" in output
    assert "held    cuts" in output
    assert "skipped batch" in output


def test_a_state_that_is_left_is_named_with_the_row_and_replayed(folder: Path) -> None:
    target = f"{write(folder, 'latest_kept', clears=False)}:Latest"
    code, output = run(target, *OPTIONS, *EXAMPLE)
    assert code == 1, output
    assert "broken  end" in output
    assert "state of user=ann is left when the watermark has passed everything" in output
    assert "latest = " in output
    trace = json.loads((folder / "tidegauge-processor" / "end.json").read_text())
    assert [list(event) for event in trace] == [["row"], ["watermark"]]
    picture = (folder / "tidegauge-processor" / "end.svg").read_text()
    assert "<svg" in picture
    (row, watermark) = trace
    timer = row["row"]["ts"] + 60_000
    assert watermark["watermark"] > timer
    assert f">timer set at {timer}<" in picture
    assert f">timer {timer} expired<" in picture
    assert f"     timer of user=ann: set at {timer}" in output.splitlines()
    code, output = run(target, *OPTIONS, *EXAMPLE, "--replay", "tidegauge-processor/end.json")
    assert code == 1, output
    assert "row (user=ann ts=" in output


def test_a_question_of_ones_own_is_played(folder: Path) -> None:
    (folder / "question.json").write_text('[{"row": {"user": "bob", "ts": 1000}}, {"watermark": 61000}]')
    code, output = run(f"{write(folder, 'latest_asked')}:described", "--replay", "question.json")
    assert code == 0, output
    assert output.startswith("""\
   row (user=bob ts=1000)
     timer of user=bob: set at 61000
   the watermark rises to 61000
     timer of user=bob: expired at 61000
     -> (user=bob end=61000) by a timer
""")


def test_timers_that_are_set_again_deleted_or_kept_are_told_once_a_micro_batch(folder: Path) -> None:
    rows = [{"user": user, "ts": ts} for user, ts in (("ann", 1), ("bob", 3), ("ann", 2), ("ann", 1))]
    events = [*({"row": row} for row in rows), {"watermark": 2}, {"row": {"user": "ann", "ts": 3}}]
    (folder / "question.json").write_text(json.dumps(events))
    target = write(folder, "latest_deletes")
    module = folder / "latest_deletes.py"
    once = "        if self.latest.exists():\n            self.handle.deleteTimer(self.latest.get()[0] + 60_000)\n"
    module.write_text(
        module.read_text().replace("        self.latest.update(", once + "        self.latest.update(")
    )
    _, output = run(f"{target}:described", "--replay", "question.json")
    lines = [line.strip() for line in output.splitlines() if "timer of" in line]
    assert lines == [
        "timer of user=ann: set at 60002",
        "timer of user=bob: set at 60003",
        "timer of user=ann: deleted at 60002; set at 60003",
    ]


def test_what_the_class_and_its_module_declare_is_read_and_said_in_one_line(folder: Path) -> None:
    declares = f"""
ROWS_IN = StructType().add("user", "string").add("ts", "long")
Latest.OUTPUT_SCHEMA = {OUTPUT!r}
Latest.TIME_COLUMN = "ts"
"""
    target = write(folder, "latest_read", declares="\nfrom pyspark.sql.types import StructType" + declares)
    code, output = run(f"{target}:Latest", "--traces", "10")
    assert code == 0, output
    assert output.splitlines()[0] == (
        "Read from latest_read: --input ROWS_IN --output Latest.OUTPUT_SCHEMA --key user --time ts"
    )
    assert "Latest: 10 traces" in output


def test_options_win_over_what_is_declared(folder: Path) -> None:
    declares = 'INPUT_SCHEMA = "user long, ts long"\nOUTPUT = "user string"\nTIME = "user"\n'
    target = write(folder, "latest_wins", declares=declares)
    code, output = run(f"{target}:Latest", *OPTIONS, "--input", INPUT)
    assert code == 0, output
    assert "Read from" not in output


def test_an_option_may_name_a_constant(folder: Path) -> None:
    declares = f"CLICKS = {INPUT!r}\nLatest.ENDS = {OUTPUT!r}\n"
    target = write(folder, "latest_named", declares=declares)
    options = ("--input", "CLICKS", "--output", "ENDS", "--key", "user", "--time", "ts", "--traces", "10")
    code, output = run(f"{target}:Latest", *options)
    assert code == 0, output


def test_equal_schemas_are_not_ambiguous(folder: Path) -> None:
    declares = f"INPUT = {INPUT!r}\nIN_SCHEMA = {INPUT!r}\n"
    code, output = run(f"{write(folder, 'latest_equal', declares=declares)}:Latest", *OPTIONS)
    assert code == 0, output
    assert output.startswith("Read from latest_equal: --input INPUT\n")


@pytest.mark.parametrize(
    ("name", "declares", "complaint"),
    [
        (
            "latest_two",
            'INPUT = "user string"\nCOUNTS_OUT = "n long"\nENDS_OUT = "end long"\n',
            "latest_two:Latest has the schemas COUNTS_OUT and ENDS_OUT, which differ; "
            "name one with --output COUNTS_OUT",
        ),
        (
            "latest_none",
            'OUTPUT = "user string, end long"\n',
            "latest_none:Latest is not described: give --input 'user string, at timestamp' (or an --example",
        ),
        (
            "latest_untimed",
            'INPUT = "user string, ts long"\nOUTPUT = "user string, end long"\n',
            "latest_untimed:Latest sets timers or reads the watermark: name the column of the event time by "
            "--time",
        ),
    ],
)
def test_what_is_ambiguous_or_missing_is_one_line_that_names_the_option(
    folder: Path, name: str, declares: str, complaint: str
) -> None:
    code, output = run(f"{write(folder, name, declares=declares)}:Latest")
    assert code == 2, output
    assert complaint in output
    assert len(output.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("nowhere:Latest",), "there is no module 'nowhere' in"),
        (("latest_bad",), "'latest_bad' is not MODULE:NAME, such as my_job:Dedup"),
        (("latest_bad:Lates",), "latest_bad has no 'Lates'; it has Latest, NeedsMore"),
        (("latest_bad:Latest",), "latest_bad:Latest is not described: give --input 'user"),
        (("latest_bad:NeedsMore", *OPTIONS, *EXAMPLE), "latest_bad:NeedsMore needs gap; name a function"),
        (("latest_bad:described", "--key", "user"), "--key: latest_bad:described is a ProcessorUnderTest"),
        (("latest_bad:described", "--only", "cut"), "--only cut: there is no such check; known are accepts"),
        (("latest_bad:described", "--replay", "none.json"), "none.json cannot be read: No such file"),
        (
            ("latest_bad:Latest", *OPTIONS, "--input", "user string, at timestamp"),
            "column 'ts' is not in input_schema; it has user, at",
        ),
        (
            ("latest_bad:Latest", *OPTIONS, "--input", "user strin"),
            "input_schema: the schema 'user strin' has 'strin' where a type",
        ),
        (("latest_bad:Latest", *OPTIONS, "--example", "{user: 1}"), "--example '{user: 1}' is not JSON"),
    ],
)
def test_bad_input_is_one_line_with_the_remedy(
    folder: Path, arguments: tuple[str, ...], complaint: str
) -> None:
    write(folder, "latest_bad")
    code, output = run(*arguments)
    assert code == 2, output
    assert complaint in output
    assert len(output.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{}", "has to be a list of rows and watermarks"),
        ("[1", "is not JSON"),
        ('[{"row": {"user": "a"}}]', "event 1: the row has no 'ts', which is its event time"),
        ('[{"row": {"user": 1, "ts": 1}}]', "event 1: column 'user': 1 is not a string"),
        ('[{"row": {"ts": 1, "x": 1}}]', "event 1: column 'x' is not in the input; it has user, ts"),
        ('[{"watermark": "noon"}]', "event 1: 'noon' is not a time"),
        ('[{"rise": 1}]', 'event 1: it has to be {"row": {...}}'),
    ],
)
def test_a_bad_trace_is_named_with_the_place(folder: Path, text: str, complaint: str) -> None:
    (folder / "question.json").write_text(text)
    code, output = run(f"{write(folder, 'latest_trace')}:described", "--replay", "question.json")
    assert code == 2, output
    assert complaint in output
