"""What the code of an adapter raises around the steps: an error of the engine, with its text, its place in the adapter
and the rules that decide there, and never an answer or the end of the kit."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from conftest import Command
from engines import ValveAdapter, valve_scenario

from tidegauge import Failure, Session, Transcript
from tidegauge.engine.contained import ContainedAdapter
from tidegauge.engine.instances import alone
from tidegauge.engine.interruption import UserInterrupt
from tidegauge.engine.runner import run
from tidegauge.wire.results import read_results
from tidegauge.wire.scenario import BadInput, Scenario

SCENARIOS = [valve_scenario(1, "w0=1", f"w0={last}", id=f"number-{last}") for last in range(2, 7)]
BROKEN = SCENARIOS[2]
HERE = Path(__file__).name

OWN_ERRORS = [OSError("no server"), KeyboardInterrupt("no server"), SystemExit("no server"), GeneratorExit()]


class Broken(Exception):
    """What the adapters below raise."""


def failures_of(adapter: ValveAdapter) -> dict[str, Failure]:
    """The failures of an adapter by their scenarios; each scenario has a transcript."""
    contained = ContainedAdapter(adapter)
    asked = [scenario for scenario in SCENARIOS if contained.inexpressible(scenario) is None]
    assert asked == SCENARIOS
    answers = [answer for answer in run(contained, asked) if answer is not None]
    assert len(answers) == len(SCENARIOS)
    return {answer.scenario: answer.failure for answer in answers if answer.failure is not None}


class RunRaises(ValveAdapter):
    """Its `run` raises in one scenario."""

    def __init__(self, error: BaseException = Broken("five"), at_a_time: int = 1) -> None:  # noqa: B008
        super().__init__()
        self.error, self.at_a_time = error, at_a_time

    def run(self, scenarios: Iterable[Scenario]) -> Iterator[Transcript]:
        remaining = iter(scenarios)
        while some := list(itertools.islice(remaining, self.at_a_time)):
            if BROKEN in some:
                raise self.error
            yield from super().run(some)


@pytest.mark.parametrize("error", OWN_ERRORS, ids=repr)
def test_what_run_raises_costs_the_scenario_that_it_has_taken(error: BaseException) -> None:
    ((name, failure),) = failures_of(RunRaises(error)).items()
    assert name == BROKEN.id
    assert failure.kind == "exception"
    assert failure.text.startswith(type(error).__name__)
    assert "raised by `run` of the adapter, at test_errors_of_adapters.py:" in failure.text
    assert "raise self.error" in failure.traceback


def test_what_run_raises_costs_all_that_it_has_taken_and_not_answered() -> None:
    assert set(failures_of(RunRaises(at_a_time=2))) == {"number-4", "number-5"}
    assert len(failures_of(RunRaises(at_a_time=100))) == len(SCENARIOS)


class AtOnce(ValveAdapter):
    """Its `run` is no generator, and does not begin."""

    def run(self, scenarios: Iterable[Scenario]) -> Iterator[Transcript]:
        raise Broken("at once")


class ReturnsNothing(ValveAdapter):
    """Its `run` forgets to return."""

    def run(self, scenarios: Iterable[Scenario]) -> Iterator[Transcript]:
        list(super().run(scenarios))  # type: ignore[return]


class YieldsNonsense(ValveAdapter):
    """Its `run` yields what is no transcript in place of one."""

    def run(self, scenarios: Iterable[Scenario]) -> Iterator[Any]:
        for scenario in scenarios:
            yield 5 if scenario == BROKEN else next(super().run([scenario]))


class RaisesInTheEnd(ValveAdapter):
    """Its `run` raises when everything is answered."""

    def run(self, scenarios: Iterable[Scenario]) -> Iterator[Transcript]:
        yield from super().run(scenarios)
        raise Broken("in the end")


class RaisesInExpressible(ValveAdapter):
    """Its `inexpressible` raises for one scenario."""

    def inexpressible(self, scenario: Scenario) -> str | None:
        if scenario.history == BROKEN.history:
            raise KeyboardInterrupt
        return None


class SaysFive(ValveAdapter):
    """Its `inexpressible` returns a number for one scenario."""

    def inexpressible(self, scenario: Scenario) -> Any:
        return 5 if scenario == BROKEN else None


class Forever(ValveAdapter):
    """Its `run` never comes to an end."""

    def run(self, scenarios: Iterable[Scenario]) -> Iterator[Transcript]:
        yield from itertools.cycle(list(super().run(scenarios)))


ALL = {scenario.id for scenario in SCENARIOS}


@pytest.mark.parametrize(
    ("adapter", "costs", "said"),
    [
        (AtOnce, ALL, f"Broken: at once; raised by `run` of the adapter, at {HERE}:"),
        (
            ReturnsNothing,
            ALL,
            "TypeError: 'NoneType' object is not iterable; raised by `run` of the adapter, at ",
        ),
        (YieldsNonsense, {BROKEN.id}, "`run` of the adapter yielded 5; expected is a Transcript"),
        (RaisesInTheEnd, {"number-6"}, "Broken: in the end; raised by `run` of the adapter, at "),
        (
            RaisesInExpressible,
            {BROKEN.id},
            f"KeyboardInterrupt: raised by `inexpressible` of the adapter, at {HERE}:",
        ),
        (SaysFive, {BROKEN.id}, "`inexpressible` returned 5; expected is a text or None"),
        (Forever, ALL, "twice"),
    ],
)
def test_what_an_adapter_does_instead_is_said(
    adapter: type[ValveAdapter], costs: set[str], said: str
) -> None:
    failures = failures_of(adapter())
    assert set(failures) == costs
    assert all(said in failure.text for failure in failures.values())


def test_a_property_does_not_run_what_the_adapter_could_not_say_of_its_scenario() -> None:
    """Properties give scenarios other names."""
    contained = ContainedAdapter(RaisesInExpressible())
    assert contained.inexpressible(BROKEN) is None
    (answer,) = run(contained, [valve_scenario(1, "w0=1", "w0=4", id="number-4~0")])
    assert answer is not None
    assert answer.failure is not None


class OddSessions(ValveAdapter):
    """Has other sessions than it should."""

    def __init__(self, session: Callable[[], Any]) -> None:
        super().__init__()
        self.odd = session

    def session(self, setup: Any) -> Session:
        made: Session = self.odd()
        return made


def refuses() -> Session:
    raise Broken("no session")


@pytest.mark.parametrize(
    ("session", "said"),
    [
        (refuses, f"Broken: no session; raised by `session` of the adapter, at {HERE}:"),
        (lambda: 5, "`session` returned 5; expected is a Session or None"),
    ],
    ids=["raises", "five"],
)
def test_a_session_that_is_none_fails_in_its_first_step(session: Callable[[], Any], said: str) -> None:
    answer = alone(ContainedAdapter(OddSessions(session)), BROKEN)
    assert answer.outputs == ()
    assert answer.failure is not None
    assert said in answer.failure.text


class Unclosable(Session):
    """Cannot be closed."""

    def step(self, step: Any) -> Any:
        return ()

    def close(self) -> None:
        raise SystemExit("stays open")


def test_a_session_that_does_not_close_is_told_of_when_the_adapter_is_closed() -> None:
    adapter = ContainedAdapter(OddSessions(Unclosable))
    assert alone(adapter, BROKEN).failure is None
    with pytest.raises(
        BadInput, match=f"SystemExit: stays open; raised by `close` of the adapter, at {HERE}:"
    ):
        adapter.close()


@pytest.mark.parametrize("method", ["run", "inexpressible", "session", "close"])
def test_the_users_interrupt_gets_through(method: str) -> None:
    def interrupt(*_: object) -> Any:
        raise UserInterrupt

    adapter = ContainedAdapter(type("Slow", (ValveAdapter,), {method: interrupt})())
    arguments: dict[str, tuple[Any, ...]] = {"run": (SCENARIOS,), "close": ()}
    with pytest.raises(UserInterrupt):
        for _ in getattr(adapter, method)(*arguments.get(method, (BROKEN,))) or ():
            pass


# Whole commands

ENGINE = """
from tidegauge_adapters.reference import ReferenceAdapter

class Mine(ReferenceAdapter):
"""
METHODS = {
    "run": """
    def run(self, scenarios):
        for scenario in scenarios:
            if len(scenario.history) == 7:
                raise ERROR
            yield from super().run([scenario])
""",
    "inexpressible": """
    def inexpressible(self, scenario):
        if len(scenario.history) == 7:
            raise ERROR
""",
    "session": """
    def session(self, setup):
        raise ERROR
""",
    "close": """
    def close(self):
        raise ERROR
""",
}
SMOKE = ("--component", "clock", "--budget", "smoke", "-n", "1", "--out", "out")


def engine_with(method: str, error: str = "OSError('no server')") -> str:
    """The source of an engine with such a method."""
    return ENGINE + METHODS[method].replace("ERROR", error)


@pytest.mark.parametrize(
    "method", ["run", *(pytest.param(one, marks=pytest.mark.slower) for one in METHODS if one != "run")]
)
def test_each_report_has_the_error_its_place_and_its_rules(
    method: str, tidegauge: Command, engine_module: Callable[[str, str], None], tmp_path: Path
) -> None:
    source = engine_with(method)
    engine_module("mine", source)
    line = 1 + source[: source.index("raise")].count("\n")
    ended = tidegauge("run", "--adapter", "mine:Mine", *SMOKE)
    assert (ended.returncode, ended.stderr) == (1, "")
    said = f"no server; raised by `{method}` of the adapter, at mine.py:{line}"
    results = read_results(tmp_path / "out" / "results.json")
    assert results.complete
    (error,) = results.errors
    assert error.text == f"OSError: {said}"
    assert f'mine.py", line {line}' in error.traceback
    assert bool(error.rules) == (method != "close")
    verdicts = {rule.id: rule.verdict for rule in results.rules}
    assert {rule for rule, verdict in verdicts.items() if verdict == "error"} == set(error.rules)
    assert set(verdicts.values()) <= {"error", "pass"}
    assert f"raised OSError{'' if method == 'close' else ' in'}" in ended.stdout
    assert said in ended.stdout
    for report in ("junit.xml", "summary.md", "report.html"):
        text = unescape((tmp_path / "out" / report).read_text(encoding="utf-8"))
        assert said in text, report
        assert all(rule in text for rule in error.rules)


def test_an_adapter_that_cannot_describe_its_engine_is_bad_input_with_its_place(
    tidegauge: Command, engine_module: Callable[[str, str], None]
) -> None:
    engine_module("mine", engine_with("close").replace("def close", "def describe"))
    ended = tidegauge("run", "--adapter", "mine:Mine", *SMOKE)
    assert ended.returncode == 2
    assert ended.stderr == (
        "tidegauge: adapter 'mine:Mine' cannot describe its engine (raised at mine.py:7): OSError: no server\n"
    )


@pytest.mark.slower
@pytest.mark.parametrize("error", ["KeyboardInterrupt", "SystemExit(3)"])
def test_an_interrupt_of_the_engines_own_costs_its_scenarios_and_no_run(
    error: str, tidegauge: Command, engine_module: Callable[[str, str], None], tmp_path: Path
) -> None:
    engine_module("mine", engine_with("run", error))
    ended = tidegauge("run", "--adapter", "mine:Mine", *SMOKE)
    assert (ended.returncode, ended.stderr) == (1, "")
    results = read_results(tmp_path / "out" / "results.json")
    assert results.complete
    assert {one.text.partition(":")[0] for one in results.errors} == {error.partition("(")[0]}


SEVEN = {
    "component": "clock",
    "id": "seven",
    "setup": {},
    "history": [{"step": "read"}] * 7,
}


@pytest.mark.slower
@pytest.mark.parametrize("method", ["run", "inexpressible"])
def test_other_commands_say_it_too(
    method: str, tidegauge: Command, engine_module: Callable[[str, str], None], tmp_path: Path
) -> None:
    engine_module("mine", engine_with(method, "KeyboardInterrupt('no server')"))
    (tmp_path / "seven.jsonl").write_text(json.dumps(SEVEN), encoding="utf-8")
    said = f"KeyboardInterrupt: no server; raised by `{method}` of the adapter, at mine.py:"
    executed = tidegauge("execute", "--adapter", "mine:Mine", input=json.dumps(SEVEN))
    assert json.loads(executed.stdout)["failure"]["text"].startswith(said)
    replayed = tidegauge("replay", "seven.jsonl", "--adapter", "mine:Mine")
    differing = tidegauge(
        "diff", "--left", "mine:Mine", "--right", "reference", "--component", "clock", "--scenarios", "300"
    )
    for ended in (replayed, differing):
        assert ended.returncode == 1, ended.stderr
        assert ended.stderr == ""
        assert said in " ".join(ended.stdout.split())


@pytest.mark.slower
@pytest.mark.parametrize("method", ["run", "inexpressible"])
def test_a_campaign_says_it_too(
    method: str, tidegauge: Command, engine_module: Callable[[str, str], None], tmp_path: Path
) -> None:
    engine_module("mine", engine_with(method, "KeyboardInterrupt('no server')"))
    ended = tidegauge(
        *("campaign", "--adapter", "mine:Mine", "--component", "clock", "--count", "300", "--out", "out")
    )
    assert ended.returncode == 1, ended.stderr
    (error,) = read_results(tmp_path / "out" / "results.json").errors
    assert error.text.startswith(
        f"KeyboardInterrupt: no server; raised by `{method}` of the adapter, at mine.py:"
    )


@pytest.mark.slower
@pytest.mark.parametrize("command", ["execute", "replay"])
def test_an_adapter_that_does_not_close_ends_a_command_in_one_line(
    command: str, tidegauge: Command, engine_module: Callable[[str, str], None], tmp_path: Path
) -> None:
    engine_module("mine", engine_with("close"))
    (tmp_path / "seven.jsonl").write_text(json.dumps(SEVEN), encoding="utf-8")
    given = ("seven.jsonl",) if command == "replay" else ()
    ended = tidegauge(command, *given, "--adapter", "mine:Mine", input=json.dumps(SEVEN))
    assert ended.returncode == 2
    (line,) = ended.stderr.splitlines()
    assert line.startswith(
        "tidegauge: the engine was not closed: OSError: no server; raised by `close` of the adapter"
    )
