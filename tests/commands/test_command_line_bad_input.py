"""Bad input gets one clear line on stderr, nothing on stdout, and exit code 2."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Command, others_slower

from tidegauge.components.job.jobs import JOBS
from tidegauge.components.registry import COMPONENTS
from tidegauge.engine.capabilities import capabilities
from tidegauge.vectors.published import every_vector
from tidegauge_spec import load_registry

MINE = """
from tidegauge import ComponentAdapter
from tidegauge_reference import Valve

class Mine(ComponentAdapter):
    def valve(self, setup):
        return Valve(setup.channels)

class ClaimsNothing(ComponentAdapter):
    pass

class NotAnAdapter:
    pass
"""


def complaint(command: Command, *arguments: str, input: str = "") -> str:
    """The one line that a command complains with."""
    ended = command(*arguments, input=input)
    assert ended.returncode == 2, ended.stdout + ended.stderr
    assert ended.stdout == ""
    assert "Traceback" not in ended.stderr
    lines = ended.stderr.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("tidegauge: ")
    return lines[0].removeprefix("tidegauge: ")


NAMES = {
    "an unknown profile": (
        ("--adapter", "reference", "--profile", "flink-9"),
        "unknown profile 'flink-9'; did you mean 'flink-2.3'? known are core, flink-2.3, spark-4"
        "; a profile of your own is a file whose name ends in .toml",
    ),
    "an unknown budget": (
        ("--adapter", "reference", "--budget", "huge"),
        "unknown budget 'huge'; known are smoke, default, thorough",
    ),
    "a misspelled budget": (
        ("--adapter", "reference", "--budget", "smoek"),
        "unknown budget 'smoek'; did you mean 'smoke'? known are smoke, default, thorough",
    ),
    "an unknown rule": (
        ("--adapter", "reference", "--rule", "TEAPOT-99"),
        "unknown rule 'TEAPOT-99'; `tidegauge rules` lists them",
    ),
    "a misspelled rule": (
        ("--adapter", "reference", "--rule", "valve3"),
        "unknown rule 'valve3'; did you mean 'VALVE-3'? `tidegauge rules` lists them",
    ),
    "an option without a value": (
        ("--adapter", "reference", "--option", "policies"),
        "option 'policies' is not key=value",
    ),
    "an option without a key": (("--adapter", "reference", "--option", "=x"), "option '=x' is not key=value"),
    "an unknown option": (
        ("--adapter", "reference", "--option", "engine=x"),
        "adapter 'reference': unknown option 'engine'; known is policies",
    ),
    "an unknown value of an option": (
        ("--adapter", "reference", "--option", "policies=x"),
        "adapter 'reference': unknown policies 'x'; known are core, flink-2.3, spark-4",
    ),
    "a module that does not exist": (
        ("--adapter", "no_such_module:Engine"),
        "adapter 'no_such_module:Engine' does not import: ModuleNotFoundError: No module named 'no_such_module'",
    ),
    "no module": (
        ("--adapter", ":Engine"),
        "adapter ':Engine' does not import: ValueError: Empty module name",
    ),
}


@pytest.mark.parametrize("name", others_slower(NAMES, list(NAMES)[::4]))
def test_unknown_names_are_refused_with_those_that_exist(tidegauge: Command, name: str) -> None:
    arguments, expected = NAMES[name]
    assert complaint(tidegauge, "run", *arguments) == expected


def test_an_unknown_component_is_refused_with_those_that_exist(tidegauge: Command) -> None:
    line = complaint(tidegauge, "run", "--adapter", "reference", "--component", "teapot")
    assert line.startswith("unknown component 'teapot'; known are ")
    assert "valve" in line
    for command in (("run", "--adapter", "reference"), ("mutants",)):
        line = complaint(tidegauge, *command, "--component", "low-watermark")
        assert line.startswith("unknown component 'low-watermark'; did you mean 'low_watermark'? known are ")


@pytest.mark.parametrize("command", ["run", "execute"])
def test_an_unknown_adapter_is_refused_with_the_list(tidegauge: Command, command: str) -> None:
    line = complaint(tidegauge, command, "--adapter", "zzz")
    assert line.startswith("unknown adapter 'zzz'; known are ")
    assert "reference" in line
    assert "spark" in line
    assert line.endswith("your own is module:Class")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("refrence", "reference"),
        pytest.param("Spark", "spark", marks=pytest.mark.slower),
        pytest.param("valve-no-flush", "mutant:valve-no-flush", marks=pytest.mark.slower),
    ],
)
def test_a_misspelled_adapter_is_refused_with_the_one_that_was_meant(
    tidegauge: Command, typed: str, meant: str
) -> None:
    line = complaint(tidegauge, "run", "--adapter", typed)
    assert line.startswith(
        f"unknown adapter {typed!r}; did you mean {meant!r}? known are beam, beam-java, bytewax, flink, hazelcast, "
    )


def test_an_unknown_mutant_is_refused_with_where_they_are_listed(tidegauge: Command) -> None:
    line = complaint(tidegauge, "run", "--adapter", "mutant:nice")
    assert line == "unknown mutant in 'mutant:nice'; `tidegauge mutants --list` names them"


def test_a_misspelled_mutant_is_refused_with_the_one_that_was_meant(tidegauge: Command) -> None:
    line = complaint(tidegauge, "run", "--adapter", "mutant:valve-noflush")
    assert line == (
        "unknown mutant in 'mutant:valve-noflush'; did you mean 'mutant:valve-no-flush'? "
        "`tidegauge mutants --list` names them"
    )


MODULES = {
    "a module that does not import": (
        "broken:Engine",
        "import no_such_module_at_all",
        "adapter 'broken:Engine' does not import: ModuleNotFoundError: No module named 'no_such_module_at_all'",
    ),
    "a module with a syntax error": (
        "broken:Engine",
        "def oops(:",
        "adapter 'broken:Engine' does not import: SyntaxError: invalid syntax (broken.py, line 1)",
    ),
    "a module that raises in several lines": (
        "broken:Engine",
        "raise RuntimeError('one\\ntwo')",
        "adapter 'broken:Engine' does not import: RuntimeError: one two",
    ),
    "a class that is not there": (
        "broken:Engine",
        MINE,
        "adapter 'broken:Engine': module 'broken' has no 'Engine'",
    ),
    "a misspelled class": (
        "broken:Mien",
        MINE,
        "adapter 'broken:Mien': module 'broken' has no 'Mien'; did you mean 'Mine'?",
    ),
    "a capability that does not exist": (
        "broken:Saves",
        f"{MINE}\nclass Saves(Mine):\n    extras = ('int64', 'snapshots')\n",
        "adapter 'broken:Saves' claims an unknown capability 'snapshots'; did you mean 'snapshot'? "
        f"known are {', '.join(capabilities())}",
    ),
    "a capability of an adapter of another kind": (
        "broken:Own",
        """
from tidegauge import Adapter, Implementation
class Own(Adapter):
    def describe(self):
        return Implementation(name="own", version="1", capabilities=("valve", "teapot"))
""",
        f"adapter 'broken:Own' claims an unknown capability 'teapot'; known are {', '.join(capabilities())}",
    ),
    "a class that is no adapter": (
        "broken:NotAnAdapter",
        MINE,
        "adapter 'broken:NotAnAdapter': NotAnAdapter is not a subclass of tidegauge.Adapter",
    ),
    "a function": (
        "broken:engine",
        "def engine(options): ...",
        "adapter 'broken:engine': engine is not a subclass of tidegauge.Adapter",
    ),
    "an adapter that claims nothing": (
        "broken:ClaimsNothing",
        MINE,
        "adapter 'broken:ClaimsNothing' claims nothing: give it the method of a component, such as `valve`",
    ),
}


@pytest.mark.parametrize("module", others_slower(MODULES, list(MODULES)[::4]))
def test_an_adapter_that_cannot_be_used_is_refused_with_its_error(
    tidegauge: Command, engine_module: Callable[[str, str], None], module: str
) -> None:
    adapter, source, expected = MODULES[module]
    engine_module("broken", source)
    assert complaint(tidegauge, "run", "--adapter", adapter) == expected


@pytest.mark.parametrize(
    ("declared", "given", "expected"),
    [
        (
            (),
            "mode=x",
            "unknown option 'mode'; it takes none; `known_options` of its class declares options",
        ),
        (("mode", "depth"), "modes=x", "unknown option 'modes'; did you mean 'mode'? known are mode, depth"),
    ],
)
def test_an_option_that_a_component_adapter_does_not_declare_is_refused(
    tidegauge: Command,
    engine_module: Callable[[str, str], None],
    declared: tuple[str, ...],
    given: str,
    expected: str,
) -> None:
    engine_module("mine", f"{MINE}\nclass Tuned(Mine):\n    known_options = {declared!r}\n")
    for command in ("run", "execute"):
        line = complaint(tidegauge, command, "--adapter", "mine:Tuned", "--option", given)
        assert line == f"adapter 'mine:Tuned': {expected}"


def test_an_option_that_a_component_adapter_declares_reaches_it(
    tidegauge: Command, engine_module: Callable[[str, str], None]
) -> None:
    source = f"{MINE}\nclass Tuned(Mine):\n    known_options = ('mode',)\n    extras = property(lambda self: (self.options['mode'],))\n"
    engine_module("mine", source)
    text = scenario_line(needs=["snapshot"], history=[{"step": "idle", "channel": 0}])
    ended = tidegauge("execute", "--adapter", "mine:Tuned", "--option", "mode=snapshot", input=text)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_the_capabilities_are_those_that_components_rules_and_jobs_name() -> None:
    known = capabilities()
    assert len(set(known)) == len(known)
    assert {"valve", "job", "snapshot", "int64", "alignment", "restart", "watermark-lag"} <= set(known)
    needed = {need for rule in load_registry().rules.values() for need in rule.needs}
    needed |= {need for job in JOBS.values() for need in job.needs}
    needed |= {need for one in COMPONENTS.values() for property in one.properties for need in property.needs}
    needed |= {need for vector in every_vector() for need in vector.scenario.needs}
    assert needed - {"refuses"} <= set(known), "that one is said by `Implementation.refuses`"


@pytest.mark.slower
def test_a_run_that_is_refused_leaves_the_last_one_as_it_was(tidegauge: Command, tmp_path: Path) -> None:
    wrong = ("--adapter", "mutant:valve-no-flush", "--component", "valve", "--budget", "smoke", "-n", "1")
    assert tidegauge("run", *wrong, "--out", "out").returncode == 1
    before = files_in(tmp_path / "out")
    assert before.keys() >= {"results.json", "journal.jsonl", "counterexamples/VALVE-15.jsonl", "report.html"}
    complaint(tidegauge, "run", "--adapter", "refrence", "--out", "out")
    assert files_in(tmp_path / "out") == before | {"engine.log": files_in(tmp_path / "out")["engine.log"]}


def files_in(folder: Path) -> dict[str, bytes]:
    """The files below a folder by their names."""
    files = (file for file in folder.rglob("*") if file.is_file())
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in files}


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ("ValueError", ": no server"),
        pytest.param("ImportError", ": no server", marks=pytest.mark.slower),
        pytest.param("RuntimeError", " cannot be built: RuntimeError: no server", marks=pytest.mark.slower),
    ],
)
def test_an_adapter_that_cannot_be_built_is_refused_with_its_error(
    tidegauge: Command, engine_module: Callable[[str, str], None], error: str, expected: str
) -> None:
    built = f"    def __init__(self, options):\n        raise {error}('no\\nserver')\n"
    engine_module("late", f"{MINE}\nclass Late(Mine):\n{built}")
    for command in ("run", "execute"):
        assert complaint(tidegauge, command, "--adapter", "late:Late") == f"adapter 'late:Late'{expected}"


def test_an_adapter_that_cannot_describe_itself_is_refused_with_its_error(
    tidegauge: Command, engine_module: Callable[[str, str], None]
) -> None:
    source = f"{MINE}\nclass Mute(Mine):\n    def describe(self):\n        raise KeyError('version')\n"
    engine_module("mute", source)
    for command in ("run", "execute"):
        line = complaint(tidegauge, command, "--adapter", "mute:Mute")
        said = "cannot describe its engine (raised at mute.py:"
        assert line.startswith(f"adapter 'mute:Mute' {said}")
        assert line.endswith("): KeyError: 'version'")


def test_an_adapter_that_describes_nothing_is_refused(
    tidegauge: Command, engine_module: Callable[[str, str], None]
) -> None:
    engine_module("mute", f"{MINE}\nclass Mute(Mine):\n    def describe(self):\n        return None\n")
    line = complaint(tidegauge, "run", "--adapter", "mute:Mute")
    assert line == "adapter 'mute:Mute' describes its engine by None, not an Implementation"


def test_an_output_folder_below_a_file_is_refused(tidegauge: Command, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    line = complaint(tidegauge, "run", "--adapter", "reference", "--out", "file/results")
    assert line == "output folder file/results cannot be written: Not a directory; choose another"


def test_an_output_folder_that_is_a_file_is_refused(tidegauge: Command, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    line = complaint(tidegauge, "run", "--adapter", "reference", "--out", "file")
    assert line.startswith("output folder file cannot be written: ")


def test_results_that_cannot_be_replaced_are_complained_about_before_the_run(
    tidegauge: Command, tmp_path: Path
) -> None:
    (tmp_path / "out" / "results.json").mkdir(parents=True)
    line = complaint(tidegauge, "run", "--adapter", "reference", "--out", "out", "--force")
    assert line.startswith("output folder out cannot be written: ")


def scenario_line(**changes: object) -> str:
    """A scenario as a line, with changed fields."""
    plain = {
        "component": "valve",
        "id": "a",
        "setup": {"channels": 1},
        "history": [{"step": "idle", "channel": 0}],
    }
    return json.dumps({**plain, **changes})


def with_timestamp(timestamp: object) -> str:
    """A scenario of one watermark as a line."""
    return scenario_line(history=[{"step": "watermark", "channel": 0, "timestamp": timestamp}])


LINES = {
    "no JSON": ("{", "line 2: not a scenario: Input data was truncated"),
    "an unknown step": (
        scenario_line(history=[{"step": "watermrk", "channel": 0}]),
        "line 2: not a scenario: Invalid value 'watermrk' - at `$.history[0].step`",
    ),
    "an integer beyond the wire": (
        with_timestamp(2**53),
        "line 2: not a scenario: Expected `int` <= 9007199254740991 - at `$.history[0].timestamp`",
    ),
    "an integer beyond 64 bits": (
        with_timestamp(2**70),
        "line 2: not a scenario: Expected `int` <= 9007199254740991 - at `$.history[0].timestamp`",
    ),
    "a string beyond 64 bits": (
        with_timestamp("9223372036854775808"),
        "line 2: timestamp 9223372036854775808 is not a signed 64-bit number - at `$.history[0].timestamp`",
    ),
    "a timestamp in other words": (
        scenario_line(history=[{"step": "watermark", "channel": 0, "timestamp": "max"}]),
        'line 2: not a scenario: Expected a number, "MIN" or "MAX", or beyond 9007199254740991 a number in '
        "quotes - at `$.history[0].timestamp`",
    ),
    "a capability that is not announced": (
        scenario_line(history=[{"step": "snapshot"}]),
        "line 2: this step needs the capability 'snapshot' in `$.needs` - at `$.history[0]`",
    ),
    "an id twice": (scenario_line(id="first"), "line 2: the id 'first' stands in line 1 already - at `$.id`"),
}


@pytest.mark.parametrize(("line", "expected"), LINES.values(), ids=LINES)
def test_a_malformed_scenario_is_refused_with_line_and_path(
    tidegauge: Command, tmp_path: Path, line: str, expected: str
) -> None:
    text = f"{scenario_line(id='first')}\n{line}\n"
    assert complaint(tidegauge, "execute", "--adapter", "reference", input=text) == f"stdin, {expected}"
    (tmp_path / "scenarios.jsonl").write_text(text, encoding="utf-8")
    arguments = ("replay", "scenarios.jsonl", "--adapter", "reference")
    assert complaint(tidegauge, *arguments) == f"scenarios.jsonl, {expected}"


@pytest.mark.parametrize(
    ("chosen", "remedy"),
    [
        (("--profile", "flink-2.3"), "which the profile flink-2.3 does not have: choose another profile"),
        (("--rule", "VALVE-1"), "and none of that is chosen: choose other rules or components"),
    ],
)
def test_where_nothing_can_be_judged_the_remedy_is_named(
    tidegauge: Command, engine_module: Callable[[str, str], None], chosen: tuple[str, str], remedy: str
) -> None:
    engine_module("mine", MINE.replace("def valve", "def low_watermark"))
    line = complaint(tidegauge, "run", "--adapter", "mine:Mine", *chosen)
    assert line == f"adapter 'mine:Mine' claims low_watermark, {remedy}"


def test_nothing_is_left_where_there_was_nothing_to_resume(tidegauge: Command, tmp_path: Path) -> None:
    line = complaint(tidegauge, "run", "--adapter", "reference", "--out", "fresh", "--resume")
    assert line == "fresh holds no run that was killed; leave --resume out"
    assert not (tmp_path / "fresh").exists()


def test_more_processes_than_a_machine_can_have_are_refused(tidegauge: Command) -> None:
    ended = tidegauge("run", "--adapter", "reference", "--workers", "100000")
    assert ended.returncode == 2
    assert "less than or equal to" in ended.stderr


def test_a_scenario_that_needs_what_the_engine_does_not_claim_is_refused(
    tidegauge: Command, engine_module: Callable[[str, str], None]
) -> None:
    engine_module("mine", MINE)
    text = scenario_line(needs=["snapshot"], history=[{"step": "snapshot"}])
    line = complaint(tidegauge, "execute", "--adapter", "mine:Mine", input=text)
    assert line == "scenario 'a' needs snapshot, which Mine does not claim"


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        (
            "missing.jsonl",
            "'missing.jsonl' is no file, and neither the name of a scenario nor a rule: give one of these",
        ),
        (".", ". cannot be read: a folder, not a file"),
        ("empty.jsonl", "empty.jsonl holds no scenario; each line is one, as JSON"),
    ],
)
def test_a_file_that_cannot_be_replayed_is_refused(
    tidegauge_here: Command, tmp_path: Path, file: str, expected: str
) -> None:
    (tmp_path / "empty.jsonl").write_text("\n \n", encoding="utf-8")
    assert complaint(tidegauge_here, "replay", file, "--adapter", "reference") == expected


def test_an_unknown_rule_is_not_explained(tidegauge_here: Command) -> None:
    assert (
        complaint(tidegauge_here, "explain", "VALVE-99")
        == "There is no rule VALVE-99; `tidegauge rules` lists the rules, `tidegauge mutants` the mutants, "
        "`tidegauge site` all known bugs"
    )


def test_a_folder_without_a_journal_gives_no_report(tidegauge_here: Command) -> None:
    assert complaint(tidegauge_here, "report", "nowhere") == (
        "nowhere/journal.jsonl holds no run; give the --out folder of one"
    )


@pytest.mark.slower
def test_a_journal_with_what_no_run_finds_gives_no_report(tidegauge: Command, tmp_path: Path) -> None:
    wrong = ("--adapter", "mutant:clock-milliseconds", "--component", "clock", "--budget", "smoke", "-n", "1")
    assert tidegauge("run", *wrong, "--out", "out").returncode == 1
    journal = tmp_path / "out" / "journal.jsonl"
    text = journal.read_text(encoding="utf-8")
    too_many = re.sub(r'"ran":{"runs":\[\[0,\d+', '"ran":{"runs":[[0,1000000000000000', text)
    too_late = re.sub(r'"at":\d+', '"at":12345', text)
    for other in (too_many, too_late):
        assert other != text
        journal.write_text(other, encoding="utf-8")
        for command in (("report", "out"), ("diagnose", "out", "--diagnose-steps", "1")):
            line = complaint(tidegauge, *command)
            assert line.startswith("out/journal.jsonl: the test item clock-")
            assert line.endswith(" has found what it cannot find; run it again")


def test_a_journal_that_is_none_gives_no_report(tidegauge_here: Command, tmp_path: Path) -> None:
    (tmp_path / "journal.jsonl").write_text("{}\n", encoding="utf-8")
    line = complaint(tidegauge_here, "report", ".")
    assert line.startswith("journal.jsonl is not a journal of this version: ")


@pytest.mark.parametrize(
    "arguments", [(), ("run",), ("frobnicate",), ("run", "--adapter"), ("run", "--seed", "x")]
)
def test_wrong_arguments_are_exit_code_2(tidegauge: Command, arguments: tuple[str, ...]) -> None:
    ended = tidegauge(*arguments)
    assert ended.returncode == 2
    said = ("Usage: ", "Option '--adapter' requires an argument", "name the engine: --adapter NAME")
    assert any(one in ended.stderr + ended.stdout for one in said)
    assert "Traceback" not in ended.stderr


def test_a_command_that_cannot_be_loaded_is_named_and_takes_no_other_with_it(
    tidegauge: Command, tmp_path: Path
) -> None:
    folder = tmp_path / "theirs-1.0.dist-info"
    folder.mkdir()
    (folder / "entry_points.txt").write_text("[tidegauge.commands]\ntheirs = not_there:command\n")
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    ended = tidegauge("adapters")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "reference" in ended.stdout
    ended = tidegauge("theirs")
    assert ended.returncode == 2
    assert ended.stderr == "tidegauge: no command theirs: not_there:command: No module named 'not_there'\n"
    assert tidegauge("theirs", "--help").stderr == ended.stderr
    ended = tidegauge("--help")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "adapters" in ended.stdout
    assert "Not available: not_there:command: No module named 'not_there'" in ended.stdout
