"""Engines in processes that say of themselves, and in their outputs, what reports cannot show: refused in one line, or
shown as the text that it is."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from component_scenarios import drawn
from conftest import ROOT, Command
from page_reader import read

from tidegauge.engine.adapter import ComponentAdapter
from tidegauge.engine.description_check import LONGEST_NAME, LONGEST_REMARK, check_description
from tidegauge.engine.foreign_text import LONGEST_TEXT, LONGEST_TRACEBACK
from tidegauge.engine.loading import describe
from tidegauge.engine.runner import run
from tidegauge.wire.implementation import Implementation
from tidegauge.wire.results import read_results
from tidegauge.wire.scenario import BadInput, Scenario
from tidegauge_adapters.process.adapter import ProcessAdapter

PROGRAM = ROOT / "tests" / "samples" / "protocol_engine.py"

OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""What a terminal obeys."""

LARGEST_REPORT = 3_000_000
"""Bytes of a page about one component."""

LARGEST_JOURNAL = 3_000_000
"""Bytes of the journal of a smoke run of one component."""

REFUSED = {
    "described-with-control-characters": "its name '\\x1b]0;evil\\x07' has signs that do not print; leave them out",
    "described-with-two-lines": "its name 'one\\ntwo' has signs that do not print; leave them out",
    "described-at-length": "its version has 2,097,152 characters; give 200 at most",
    "described-with-a-long-remark": "its remark has 2,097,152 characters; give 10000 at most",
    "described-with-negative-limits": "at_most of 'vectors' is -1; give 0 or more",
    "described-with-negative-time": "its reaction_ms is -5; give 0 or more",
}


def command(deed: str) -> str:
    """The engine as a user names it."""
    return f"{sys.executable} {PROGRAM} {deed}"


@pytest.fixture
def adapter(request: pytest.FixtureRequest) -> Iterator[ProcessAdapter]:
    """An engine with a deed."""
    made = ProcessAdapter({"command": command(request.param)})
    yield made
    made.close()


@pytest.fixture(scope="module")
def valves() -> list[Scenario]:
    """Scenarios of valves, the last one with five channels, in which deeds are done."""
    several = drawn("valve", 400)
    five = [one for one in several if getattr(one.setup, "channels", 0) == 5]
    others = [one for one in several if getattr(one.setup, "channels", 0) != 5]
    return [*others[:3], five[0]]


@pytest.mark.parametrize(("adapter", "said"), REFUSED.items(), ids=REFUSED, indirect=["adapter"])
def test_a_description_beyond_its_bounds_is_refused(adapter: ProcessAdapter, said: str) -> None:
    with pytest.raises(BadInput) as refused:
        describe("process", adapter)
    assert str(refused.value) == f"adapter 'process': {said}"


@pytest.mark.parametrize("deed", ["described-at-length", "described-with-control-characters"])
def test_a_run_of_such_an_engine_is_refused_in_one_line(deed: str, tidegauge: Command) -> None:
    ended = tidegauge("run", "--command", command(deed), "--component", "clock", "--out", "out")
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert ended.stderr == f"tidegauge: adapter 'process': {REFUSED[deed]}\n"


def test_the_bounds_themselves_are_allowed() -> None:
    largest = Implementation(
        name="n" * LONGEST_NAME,
        version="",
        capabilities=(),
        remark="r" * LONGEST_REMARK,
        at_most={"vectors": 0},
    )
    check_description("mine", largest)


def test_an_engine_in_this_process_is_held_to_the_same() -> None:
    class Mine(ComponentAdapter):
        name = "n" * (LONGEST_NAME + 1)
        extras = ("int64",)

    with pytest.raises(BadInput, match="its name has 201 characters; give 200 at most"):
        describe("mine:Mine", Mine({}))


@pytest.mark.parametrize(
    ("attribute", "value", "said"),
    [
        ("name", 5, "its description does not fit: Expected `str`, got `int` - at `$.name`"),
        ("version", 1.5, "its description does not fit: Expected `str`, got `float` - at `$.version`"),
        ("extras", "snapshot", "extras is 'snapshot'; it must be a tuple, such as ('snapshot',)"),
    ],
)
def test_an_attribute_of_another_type_is_refused(attribute: str, value: object, said: str) -> None:
    with pytest.raises(BadInput) as refused:
        describe("mine:Mine", type("Mine", (ComponentAdapter,), {attribute: value})({}))
    assert said in str(refused.value)


@pytest.mark.parametrize("adapter", ["described-otherwise-each-time"], indirect=True)
def test_an_engine_that_describes_itself_otherwise_later_is_an_error(
    adapter: ProcessAdapter, valves: list[Scenario]
) -> None:
    before = adapter.describe()
    failures = [one.failure for one in run(adapter, valves) if one is not None]
    assert adapter.describe() == before
    assert {failure.text for failure in failures if failure} >= {
        "the engine does not describe itself as at its first start"
    }


@pytest.mark.parametrize("adapter", ["a-long-text-in-an-output"], indirect=True)
def test_a_text_of_ten_megabytes_in_an_output_is_no_answer(
    adapter: ProcessAdapter, valves: list[Scenario]
) -> None:
    *others, last = run(adapter, valves)
    assert all(one is not None and one.failure is None for one in others)
    assert last is not None
    assert last.failure is not None
    assert last.failure.text == "an output has a text of 10,485,760 characters; 1,000 are the most"
    assert last.outputs == ()


@pytest.mark.parametrize("adapter", ["raises-at-length"], indirect=True)
def test_of_what_an_engine_raises_the_start_is_kept(adapter: ProcessAdapter, valves: list[Scenario]) -> None:
    *_, last = run(adapter, valves)
    assert last is not None
    assert last.failure is not None
    assert (len(last.failure.text), len(last.failure.traceback)) == (LONGEST_TEXT, LONGEST_TRACEBACK)
    assert not OBEYED.search(last.failure.text + last.failure.traceback)


def harmless(folder: Path, printed: str) -> None:
    """Assert that what a run printed and wrote is harmless, and not too large."""
    assert not OBEYED.search(printed)
    for name in ("report.html", "summary.md", "junit.xml", "badge.svg"):
        text = (folder / name).read_text(encoding="utf-8")
        assert not OBEYED.search(text), name
        assert "<script>alert" not in text, name
        assert "<img src=x" not in text, name
        assert len(text) < LARGEST_REPORT, name
    read((folder / "report.html").read_text(encoding="utf-8"))
    assert (folder / "journal.jsonl").stat().st_size < LARGEST_JOURNAL


@pytest.mark.slower
@pytest.mark.parametrize(
    ("deed", "component", "exit_code"),
    [
        ("described-with-markup", "clock", 0),
        pytest.param("described-with-groups", "clock", 1, marks=pytest.mark.slower),
        pytest.param("a-long-text-in-an-output", "valve", 1, marks=pytest.mark.slower),
        pytest.param("raises-at-length", "valve", 1, marks=pytest.mark.slower),
        pytest.param("described-otherwise-each-time", "valve", 1, marks=pytest.mark.slower),
    ],
)
def test_a_whole_run_of_a_hostile_engine_is_harmless(
    deed: str, component: str, exit_code: int, tidegauge: Command, tmp_path: Path
) -> None:
    arguments = (
        "--component",
        component,
        "--budget",
        "smoke",
        "-n",
        "1",
        "--out",
        "out",
        "--progress",
        "none",
    )
    ended = tidegauge("run", "--command", command(deed), *arguments)
    assert ended.returncode == exit_code, ended.stdout + ended.stderr
    assert ended.stderr == ""
    harmless(tmp_path / "out", ended.stdout)
    results = read_results(tmp_path / "out" / "results.json")
    assert {rule.verdict for rule in results.rules} & {"fail"} == set(), "an error breaks no rule"
