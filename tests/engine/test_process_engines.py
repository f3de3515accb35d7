"""Engines in processes of their own: they answer as in this process, and whatever one does ends in bounded time, is
laid to its scenario, and leaves nothing behind."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from component_scenarios import drawn
from conftest import Command, others_slower
from protocol_engine import AT_THE_START, CHANGES, DEEDS, HARMLESS

from tidegauge import BadInput, Scenario
from tidegauge.components.registry import COMPONENTS
from tidegauge.engine.errors import NotAnswered
from tidegauge.engine.runner import run
from tidegauge.engine.session import played
from tidegauge.wire.results import read_results
from tidegauge.wire.scenario import encode_scenario
from tidegauge.wire.transcript import Failure
from tidegauge_adapters.process.adapter import ProcessAdapter
from tidegauge_adapters.reference import ReferenceAdapter

PROGRAM = Path(__file__).parent.parent / "samples" / "protocol_engine.py"
PATIENT = {
    *("hangs", "computes", "stops-itself", "closes-stdout"),
    *("half-a-line-and-no-end", "byte-by-byte", "a-child-without-a-trace"),
}
"""Deeds that only a deadline ends."""

AT_ONCE = {"dies", "another-id", "a-key-twice"}
"""The others are tried in the slower tier."""

SAID: dict[str, tuple[str, str]] = {
    "dies": ("crashed", "the engine's process ended by SIGSEGV"),
    "exits": ("crashed", "the engine's process ended with exit code 0"),
    "raises": ("crashed", "the engine's process ended with exit code 1"),
    "hangs": ("timeout", "the engine did not answer within 2 s"),
    "computes": ("timeout", "the engine did not answer within 2 s"),
    "stops-itself": ("timeout", "the engine did not answer within 2 s"),
    "closes-stdout": ("protocol", "the engine closed its stdout"),
    "closes-stdin": ("crashed", "the engine's process ended with exit code 4"),
    "prints": ("protocol", "the engine wrote 'hello' to stdout, which is no answer"),
    "prints-bytes": ("protocol", "to stdout, which is no answer"),
    "prints-control": ("protocol", "\\x1b]0;evil\\x07"),
    "prints-nothing": ("protocol", "the engine wrote '' to stdout"),
    "a-key-twice": ("protocol", "the engine wrote an object with the key 'output' twice: '{\"answer\":"),
    "prints-null": ("protocol", "the engine wrote 'null' to stdout"),
    "nests": ("protocol", "which is no answer"),
    "half-a-line": ("crashed", "the engine's process ended with exit code 0"),
    "a-line-without-end": ("protocol", "the engine wrote a line of more than"),
    "lines-without-end": ("protocol", "Object missing required field `answer`"),
    "fills-stderr": ("crashed", "the engine's process ended with exit code 3"),
    "takes-memory": ("crashed", "the engine took more than 400 MiB of memory and was killed"),
    "leaves-a-child": ("crashed", "the engine's process ended by SIGKILL"),
    "half-a-line-and-no-end": ("timeout", "the engine did not answer within 2 s"),
    "byte-by-byte": ("timeout", "the engine did not answer within 2 s"),
    "a-child-holds-stdout": ("crashed", "the engine's process ended with exit code 6"),
    "a-child-without-a-trace": ("timeout", "the engine did not answer within 2 s"),
    "answers-in-utf-16": ("protocol", "to stdout, which is no answer"),
    "an-id-in-capitals": ("protocol", "the engine answered for scenario 'VALVE:"),
    "another-id": ("protocol", "the engine answered for scenario 'another' and not 'valve:"),
    "answers-twice": ("protocol", "after its last answer the engine wrote"),
    "an-unknown-field": ("protocol", "unknown field `more`"),
    "an-unknown-answer": ("protocol", "Invalid value 'song'"),
    "an-unknown-output": ("protocol", "Invalid value 'song'"),
    "a-timestamp-as-text": ("protocol", "matching regex"),
    "a-timestamp-too-large": ("protocol", "Expected `int` <= 9007199254740991"),
    "a-fraction": ("protocol", "Expected `int | str`, got `float`"),
    "an-unknown-error": ("protocol", "Invalid enum value 'oops'"),
    "outputs-are-null": ("protocol", "Expected `array`, got `null`"),
    "says-error": ("protocol", "the engine did not understand the request 'run': not today"),
    "says-it-raised": ("exception", "ValueError: five"),
    "a-surrogate": ("protocol", "which is no answer"),
}
"""How a transcript fails where the engine does that."""


@pytest.fixture
def engine() -> Iterator[Callable[..., ProcessAdapter]]:
    """Starts an engine with a deed; in the end it is closed, and nothing that it started is left."""
    started: list[ProcessAdapter] = []
    before, began = set(psutil.Process().children(recursive=True)), time.time()

    def start(deed: str, **options: str) -> ProcessAdapter:
        command = f"{sys.executable} {PROGRAM} {deed}"
        adapter = ProcessAdapter({"command": command, "memory-mib": "400", **options})
        started.append(adapter)
        return adapter

    yield start
    for adapter in started:
        adapter.close()
    assert not set(psutil.Process().children(recursive=True)) - before
    assert not [one for one in psutil.process_iter(["cmdline", "create_time"]) if is_left(one, began)]


def is_left(process: psutil.Process, began: float) -> bool:
    """Whether it is a child that an engine was to leave behind since then."""
    told = process.info
    return "import time; time.sleep(100)" in (told["cmdline"] or []) and told["create_time"] >= began


def five(scenario: Scenario) -> bool:
    """Whether the deed is done in it."""
    return getattr(scenario.setup, "channels", 0) == 5


@pytest.fixture(scope="module")
def valves() -> list[Scenario]:
    """Scenarios of valves; one of them has five channels."""
    several = drawn("valve", 400)
    chosen = [one for one in several if five(one)][:1] + [one for one in several if not five(one)][:20]
    return sorted(chosen, key=lambda one: one.id)


@pytest.mark.parametrize("name", [name for name, component in COMPONENTS.items() if component.drawn])
def test_an_engine_answers_in_a_process_as_it_does_in_ours(
    name: str, engine: Callable[..., ProcessAdapter]
) -> None:
    scenarios = drawn(name, 100)
    assert run(engine(""), scenarios) == run(ReferenceAdapter({}), scenarios)


@pytest.mark.parametrize("name", [name for name, component in COMPONENTS.items() if component.drawn])
def test_sessions_answer_as_in_our_process(name: str, engine: Callable[..., ProcessAdapter]) -> None:
    there, here = engine(""), ReferenceAdapter({})
    for scenario in drawn(name, 10):
        session = there.session(scenario.setup)
        assert session is not None
        assert played(session, scenario) == played(here.session(scenario.setup), scenario)
        session.close()


@pytest.mark.parametrize("deed", others_slower(SAID, AT_ONCE))
def test_a_deed_costs_its_scenario_alone(
    deed: str, engine: Callable[..., ProcessAdapter], valves: list[Scenario]
) -> None:
    seconds = "2" if deed in PATIENT else "60"
    transcripts = run(engine(deed, seconds=seconds), valves)
    expected = run(ReferenceAdapter({}), valves)
    for scenario, got, right in zip(valves, transcripts, expected, strict=True):
        assert got is not None
        if not five(scenario):
            assert got == right
            continue
        assert got.failure is not None
        assert got.failure.kind == SAID[deed][0]
        assert SAID[deed][1] in got.failure.text
        assert (got.failure.text + got.failure.traceback).replace("\n", "").replace("\t", "").isprintable()


@pytest.mark.parametrize("deed", HARMLESS)
def test_what_does_no_harm_changes_nothing(
    deed: str, engine: Callable[..., ProcessAdapter], valves: list[Scenario]
) -> None:
    assert run(engine(deed), valves) == run(ReferenceAdapter({}), valves)


@pytest.mark.parametrize("deed", ["no-outputs", "many-outputs"])
def test_outputs_that_are_wrong_are_judged(
    deed: str, engine: Callable[..., ProcessAdapter], valves: list[Scenario]
) -> None:
    for scenario, got in zip(valves, run(engine(deed), valves), strict=True):
        assert got is not None
        assert got.failure is None
        assert not five(scenario) or len(got.outputs) <= 1


def test_an_engine_says_which_scenarios_it_does_not_express(
    engine: Callable[..., ProcessAdapter], valves: list[Scenario]
) -> None:
    hiding, open_engine = engine("hides-five"), engine("")
    for scenario in valves:
        assert hiding.inexpressible(scenario) == ("five channels" if five(scenario) else None)
        assert open_engine.inexpressible(scenario) is None
    assert run(hiding, valves[:1]) == run(open_engine, valves[:1])


@pytest.mark.parametrize(
    ("deed", "said"),
    [
        ("dies-when-asked-what-it-hides", "the engine's process ended with exit code 7"),
        ("names-another-that-it-hides", "the engine answered for scenario 'another'; asked was 'valve:"),
    ],
)
def test_an_engine_that_cannot_be_asked_what_it_hides_is_lost(
    deed: str, said: str, engine: Callable[..., ProcessAdapter], valves: list[Scenario]
) -> None:
    with pytest.raises(NotAnswered) as raised:
        engine(deed).inexpressible(valves[0])
    assert said in raised.value.failure.text


def test_what_a_process_hides_is_not_tested(tidegauge: Command, tmp_path: Path) -> None:
    command = f"{sys.executable} {PROGRAM} hides-five"
    asked = ("--command", command, "--component", "valve", "--budget", "smoke")
    assert tidegauge("run", *asked, "--out", "out").returncode == 0
    results = read_results(tmp_path / "out" / "results.json")
    assert any("five channels" in reason for reason in results.left_out)


def test_every_deed_is_tried() -> None:
    elsewhere = {"no-outputs", "many-outputs", "a-long-text-in-an-output", "raises-at-length"}
    assert set(SAID) == {*DEEDS, *CHANGES} - elsewhere


def test_what_the_process_said_is_kept(engine: Callable[..., ProcessAdapter], valves: list[Scenario]) -> None:
    failures = [one.failure for one in run(engine("raises"), valves) if one is not None and one.failure]
    assert len(failures) == 1
    assert all("ZeroDivisionError: division by zero" in failure.traceback for failure in failures)


@pytest.mark.parametrize(
    ("deed", "said"),
    [
        ("start-dies", "the engine's process ended with exit code 7"),
        pytest.param("start-hangs", "the engine did not answer within 3 s", marks=pytest.mark.slower),
        ("start-prints", "the engine wrote 'Welcome!' to stdout, which is no answer"),
        ("start-speaks-protocol-9", "the engine speaks protocol 9, and the kit 1"),
        ("start-says-a-key-twice", "the engine wrote an object with the key 'version' twice"),
        ("start-says-error", "the engine did not understand the request 'describe': who are you?"),
    ],
)
def test_an_engine_that_does_not_say_who_it_is_is_bad_input(
    deed: str, said: str, engine: Callable[..., ProcessAdapter]
) -> None:
    assert deed in AT_THE_START
    with pytest.raises(BadInput, match="the engine cannot be asked who it is") as refused:
        engine(deed, **{"start-seconds": "3"}).describe()
    assert said in str(refused.value)


@pytest.mark.parametrize(
    "deed", others_slower(("end-hangs", "end-fails", "end-leaves-a-child"), ("end-fails",))
)
def test_an_engine_ends_whether_it_wants_to_or_not(
    deed: str, engine: Callable[..., ProcessAdapter], valves: list[Scenario]
) -> None:
    adapter = engine(deed)
    assert all(transcript is not None for transcript in run(adapter, valves[:2]))
    adapter.close()


@pytest.mark.slower
def test_after_ten_processes_the_engine_is_not_started_again(engine: Callable[..., ProcessAdapter]) -> None:
    many = [one for one in drawn("valve", 1000) if five(one)][:14]
    failures = [one.failure for one in run(engine("exits"), many) if one is not None]
    assert [failure.kind for failure in failures if failure] == ["crashed"] * 9 + ["missing"] * 5
    assert failures[-1] == Failure(
        "missing",
        "not asked: 10 processes of the engine have ended; the engine's process ended with exit code 0",
    )


@pytest.mark.parametrize(
    ("deed", "said"),
    [
        ("session-dies", "the engine's process ended with exit code 5"),
        ("session-of-another-name", "the engine answered for session '9'; asked was '1'"),
        (
            "session-with-a-key-twice",
            'the engine wrote an object with the key \'outputs\' twice: \'{"answer":"outputs","session":"1",'
            '"outputs":[],"outputs":[]}\'',
        ),
    ],
)
def test_a_session_is_lost_with_its_process(
    deed: str, said: str, engine: Callable[..., ProcessAdapter], valves: list[Scenario]
) -> None:
    adapter = engine(deed)
    first, second = (adapter.session(valves[0].setup) for _ in range(2))
    assert first is not None
    assert second is not None
    failure = played(first, valves[0]).failure
    assert failure is not None
    assert failure.text == said
    assert played(second, valves[0]).failure == Failure(
        "crashed", "the process in which the session was opened has ended"
    )
    first.close()
    second.close()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "option command is missing"),
        ({"command": " "}, "option command is missing"),
        ({"command": "node 'x"}, "cannot be split into words"),
        ({"command": "x", "secnods": "1"}, "unknown option 'secnods'; did you mean 'seconds'?"),
        ({"command": "x", "seconds": "-1"}, "option seconds='-1' is no number above 0"),
        ({"command": "x", "seconds": "nan"}, "option seconds='nan' is no number above 0"),
    ],
)
def test_options_are_checked(options: dict[str, str], said: str) -> None:
    with pytest.raises(ValueError, match=r"option") as refused:
        ProcessAdapter(options)
    assert said in str(refused.value)


def test_a_command_that_does_not_exist_is_bad_input() -> None:
    with pytest.raises(BadInput, match="the command 'no-such-engine' cannot be started: No such file"):
        ProcessAdapter({"command": "no-such-engine"}).describe()


def test_a_command_that_an_engine_stops_continues_and_says_so(tidegauge: Command, tmp_path: Path) -> None:
    scenario = next(one for one in drawn("valve", 400) if five(one))
    (tmp_path / "five.jsonl").write_bytes(encode_scenario(scenario))
    command = f"command={sys.executable} {PROGRAM} stops-the-kit"
    ended = tidegauge("replay", "five.jsonl", "--adapter", "process", "--option", command)
    assert ended.returncode == 1
    assert "agrees with the specification" in ended.stdout
    assert ended.stderr == (
        "tidegauge: the engine, or a signal to this process alone, stopped the command (SIGSTOP); it was continued\n"
    )


@pytest.mark.slower
def test_a_run_whose_processes_an_engine_stops_names_the_scenario(tidegauge: Command, tmp_path: Path) -> None:
    command = f"{sys.executable} {PROGRAM} stops-the-kit"
    asked = ("--component", "valve", "--budget", "smoke", "-n", "1", "--out", "out")
    ended = tidegauge("run", "--command", command, *asked)
    assert ended.returncode == 1, ended.stdout + ended.stderr
    errors = read_results(tmp_path / "out" / "results.json").errors
    assert {error.text.partition(" in scenario ")[0] for error in errors} == {
        "the engine stopped a process of the kit (SIGSTOP)"
    }


def test_a_run_by_command_judges_the_engine_and_names_its_errors(tidegauge: Command, tmp_path: Path) -> None:
    command = f"{sys.executable} {PROGRAM} dies"
    ended = tidegauge(
        "run", "--command", command, "--component", "valve", "--budget", "smoke", "--out", "out"
    )
    assert ended.returncode == 1, ended.stdout + ended.stderr
    results = read_results(tmp_path / "out" / "results.json")
    assert results.complete
    assert {item.outcome for item in results.items} <= {"judged", "error"}
    errors = {(error.kind, error.text) for error in results.errors}
    assert ("crashed", "the engine's process ended by SIGSEGV") in errors
    assert not [rule for rule in results.rules if rule.verdict == "fail"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "name the engine: --adapter NAME or --command COMMAND"),
        (("--adapter", "reference", "--command", "x"), "or --command COMMAND, not both"),
        (("--command", "no-such-engine"), "the command 'no-such-engine' cannot be started"),
    ],
)
def test_one_engine_is_named(arguments: tuple[str, ...], said: str, tidegauge: Command) -> None:
    ended = tidegauge("run", *arguments)
    assert ended.returncode == 2
    assert said in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("deed", "broken", "said"),
    [
        ("", "", "The engine speaks the protocol (7 checks)"),
        ("hides-five", "", "The engine speaks the protocol (8 checks)"),
        ("names-another-that-it-hides", "it says of each scenario whether", "for scenario 'another'"),
        ("start-claims-nonsense", "the first answer is a description", "claims the capability 'vavle'"),
        ("start-dies", "the first answer is a description", "ended with exit code 7"),
        ("session-dies", "two sessions are stepped alternately", "ended with exit code 5"),
        ("end-fails", "`stop` ends it with exit code 0", "it ended with exit code 9"),
        pytest.param(
            "end-hangs",
            "`stop` ends it with exit code 0",
            "it did not end within 5 s",
            marks=pytest.mark.slower,
        ),
    ],
)
def test_smoke_says_what_of_the_protocol_is_broken(
    deed: str, broken: str, said: str, tidegauge: Command
) -> None:
    ended = tidegauge("smoke", "--command", f"{sys.executable} {PROGRAM} {deed}")
    assert ended.returncode == (1 if broken else 0), ended.stdout + ended.stderr
    assert f"broken {broken}" in ended.stdout or not broken
    assert said in ended.stdout


def test_the_protocol_is_written_as_schemas(tidegauge: Command, tmp_path: Path) -> None:
    assert tidegauge("schemas", "--out", "schemas").returncode == 0
    assert {file.name for file in (tmp_path / "schemas").iterdir()} == {
        "requests.schema.json",
        "answers.schema.json",
    }
