"""What an engine raises, or returns instead of outputs: only the exceptions of the kit are answers.

Whatever else happens in an engine's call costs one scenario: a failure in its transcript.
"""

from __future__ import annotations

import asyncio
import itertools
import pickle
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from conftest import Command, run_module
from engines import ValveAdapter, valve_scenario

from tidegauge import ComponentAdapter, Failure, IllegalArgument, IllegalState, Transcript, Unsupported
from tidegauge.components.registry import load_mutants
from tidegauge.engine.errors import Refusals, check_refusals, raised
from tidegauge.engine.interruption import Interruption, UserInterrupt
from tidegauge.engine.loading import load_adapter
from tidegauge.engine.mutant_adapter import MutantAdapter
from tidegauge.engine.runner import run
from tidegauge.engine.session import played
from tidegauge.run import suites
from tidegauge.wire.scenario import BadInput
from tidegauge.wire.steps.clock import AdvanceStep, ClockScenario, ClockSetup, PauseStep, ReadStep
from tidegauge.wire.steps.valve import ValveScenario
from tidegauge.wire.transcript import encode_transcript
from tidegauge.wire.vocabulary import Error, Reading, Restore, Snapshot, Watermark
from tidegauge_reference import Valve

FOUR_WATERMARKS = valve_scenario(1, "w0=1", "w0=2", "w0=3", "w0=4", id="four")
REFUSED = valve_scenario(1, "w0=1", "w7=2", "w0=3", id="refused")
KIT = str(Path("conformance", "tidegauge"))


def transcripts(
    make: Callable[[int], Any], *scenarios: Any, errors: Refusals | None = None
) -> list[Transcript]:
    """What an engine answers, through the runner; every scenario has a transcript."""
    adapter = ValveAdapter(make)
    if errors is not None:
        adapter.errors = errors
    found = run(adapter, scenarios)
    for transcript in found:
        assert transcript is not None
        encode_transcript(transcript)
    return found  # type: ignore[return-value]


def failure(make: Callable[[int], Any], scenario: ValveScenario = FOUR_WATERMARKS) -> Failure:
    """How an engine fails in a scenario."""
    (transcript,) = transcripts(make, scenario)
    assert transcript.failure is not None
    return transcript.failure


def watermark(action: Callable[[int, int], Any]) -> type[Valve]:
    """A valve whose `watermark` does something else."""
    return type(
        "Hostile", (Valve,), {"watermark": lambda self, channel, timestamp: action(channel, timestamp)}
    )


def raising(error: BaseException) -> type[Valve]:
    """A valve whose `watermark` raises."""

    def action(*_: int) -> Any:
        raise error

    return watermark(action)


def returning(value: Any) -> type[Valve]:
    """A valve whose `watermark` returns something."""
    return watermark(lambda channel, timestamp: value)


# Exceptions


class LosesItsBroker(Valve):
    def watermark(self, channel: int, timestamp: int) -> Any:
        if timestamp == 4:
            raise RuntimeError("lost connection to broker")
        return super().watermark(channel, timestamp)


def test_a_lost_connection_is_no_illegal_state() -> None:
    broken, sound = transcripts(LosesItsBroker, FOUR_WATERMARKS, REFUSED)
    assert broken.outputs == ((Watermark(1),), (Watermark(2),), (Watermark(3),))
    assert broken.failure is not None
    assert broken.failure.kind == "exception"
    assert broken.failure.text == (
        "RuntimeError: lost connection to broker; not an answer: a step is refused by tidegauge.IllegalState, or "
        "by what the adapter maps to it, ComponentAdapter.errors = {RuntimeError: IllegalState}"
    )
    assert sound.outputs == ((Watermark(1),), (Error("illegal-argument"),), (Watermark(3),))
    assert sound.failure is None


def test_the_traceback_begins_in_the_engine() -> None:
    traceback = failure(LosesItsBroker).traceback
    first, place, line, *_, last = [one for one in traceback.splitlines() if "not an answer" not in one]
    assert first == "Traceback (most recent call last):"
    assert place.startswith(f'  File "{__file__}"')
    assert line == '    raise RuntimeError("lost connection to broker")'
    assert last == "RuntimeError: lost connection to broker"
    assert KIT not in traceback


@pytest.mark.parametrize(
    ("error", "refusal"),
    [
        (ValueError("no"), "IllegalArgument"),
        (RuntimeError("no"), "IllegalState"),
        (NotImplementedError("no"), "Unsupported"),
        (type("NoSuchChannel", (ValueError,), {})("no"), "IllegalArgument"),
    ],
    ids=repr,
)
def test_an_exception_that_looks_like_a_refusal_says_how_it_becomes_one(
    error: Exception, refusal: str
) -> None:
    found = failure(raising(error))
    name = type(error).__name__
    assert found.kind == "exception"
    assert found.text.startswith(f"{name}: no; not an answer: ")
    assert found.text.endswith(f"ComponentAdapter.errors = {{{name}: {refusal}}}")
    assert "\n" not in found.text


@pytest.mark.parametrize("error", [KeyError("no"), UnicodeError("no"), RecursionError("no")], ids=repr)
def test_other_exceptions_come_without_advice(error: Exception) -> None:
    assert "not an answer" not in failure(raising(error)).text


@pytest.mark.parametrize(
    ("refusal", "code"),
    [
        (IllegalArgument, "illegal-argument"),
        (IllegalState, "illegal-state"),
        (Unsupported, "unsupported"),
        (type("Mine", (IllegalState,), {}), "illegal-state"),
    ],
)
def test_the_exceptions_of_the_kit_are_answers(refusal: type[Exception], code: Any) -> None:
    (transcript,) = transcripts(raising(refusal("no")), FOUR_WATERMARKS)
    assert transcript == Transcript("four", ((Error(code),),) * 4)


class Refuses(Valve):
    """Refuses an unknown channel as Python does."""

    def watermark(self, channel: int, timestamp: int) -> Any:
        if channel >= 1:
            raise ValueError(f"no channel {channel}")
        return super().watermark(channel, timestamp)


def test_a_value_error_is_an_answer_only_where_the_adapter_says_so() -> None:
    (unmapped,) = transcripts(Refuses, REFUSED)
    assert unmapped.outputs == ((Watermark(1),),)
    assert unmapped.failure is not None
    (mapped,) = transcripts(Refuses, REFUSED, errors={ValueError: IllegalArgument})
    assert mapped == Transcript("refused", ((Watermark(1),), (Error("illegal-argument"),), (Watermark(3),)))


class Gone(ValueError):
    """An exception of an engine's own."""


@pytest.mark.parametrize(
    ("error", "errors", "code"),
    [
        (Gone(), {Gone: IllegalState}, "illegal-state"),
        (Gone(), {ValueError: IllegalArgument, Gone: IllegalState}, "illegal-state"),
        (Gone(), {LookupError: IllegalArgument}, None),
        (IllegalArgument(), {ValueError: Unsupported, IllegalArgument: Unsupported}, "illegal-argument"),
        (IllegalState(), {RuntimeError: IllegalArgument}, "illegal-state"),
        (Unsupported(), {RuntimeError: IllegalState, NotImplementedError: IllegalState}, "unsupported"),
        (KeyError(1), {LookupError: IllegalArgument}, "illegal-argument"),
        (RecursionError(), {RuntimeError: IllegalState}, None),
        (NotImplementedError(), {RuntimeError: IllegalState}, None),
        (NotImplementedError(), {NotImplementedError: Unsupported}, "unsupported"),
        (UnicodeDecodeError("utf-8", b"", 0, 1, ""), {ValueError: IllegalArgument}, None),
        (ConnectionResetError(), {OSError: IllegalState}, None),
        (ConnectionResetError(), {ConnectionError: IllegalState}, "illegal-state"),
    ],
)
def test_the_most_specific_class_counts(error: Exception, errors: Refusals, code: Any) -> None:
    assert raised(error, errors) == (None if code is None else Error(code))


@pytest.mark.parametrize("missing", [AttributeError, TypeError])
def test_a_call_that_does_not_reach_the_engine_is_no_answer(missing: type[Exception]) -> None:
    class NoIdle:
        def __init__(self, channels: int) -> None:
            pass

        def watermark(self) -> Any:
            raise AssertionError

    step = "i0" if missing is AttributeError else "w0=1"
    (transcript,) = transcripts(NoIdle, valve_scenario(1, step), errors={missing: IllegalArgument})
    assert transcript.failure is not None
    (own,) = transcripts(raising(missing("no")), FOUR_WATERMARKS, errors={missing: IllegalArgument})
    assert own.failure is None


@pytest.mark.parametrize(
    ("errors", "problem"),
    [
        ({Exception: IllegalArgument}, "errors maps every exception"),
        ({ValueError: ValueError}, "to <class 'ValueError'>; expected is one of IllegalArgument"),
        ({ValueError: "illegal-argument"}, "to 'illegal-argument'; expected is one of"),
        ({SystemExit: IllegalState}, "which is no class of exceptions"),
        ({"ValueError": IllegalArgument}, "which is no class of exceptions"),
    ],
)
def test_a_mapping_that_cannot_be_is_bad_input(errors: Any, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        check_refusals(errors)
    with pytest.raises(ValueError, match=problem):
        type("Mine", (ComponentAdapter,), {"errors": errors})({})


def test_a_missing_method() -> None:
    found = failure(lambda channels: object())
    assert found.kind == "exception"
    assert found.text == "AttributeError: 'object' object has no attribute 'watermark'"
    assert "getattr(engine, method.name)" in found.traceback


def test_a_wrong_signature() -> None:
    class Other:
        def __init__(self, channels: int) -> None:
            pass

        def watermark(self, timestamp: int) -> list[Any]:
            return []

    found = failure(Other)
    assert found.kind == "exception"
    assert found.text.endswith("watermark() takes 2 positional arguments but 3 were given")


class Unprintable(Exception):
    def __str__(self) -> str:
        raise ZeroDivisionError

    __repr__ = __str__


class Group(BaseException):
    pass


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (SystemExit(3), "SystemExit: 3"),
        (KeyboardInterrupt("of the engine"), "KeyboardInterrupt: of the engine"),
        (GeneratorExit(), "GeneratorExit"),
        (asyncio.CancelledError(), "CancelledError"),
        (Group("of another base"), "Group: of another base"),
        (pytest.skip.Exception("not today"), "Skipped: not today"),
        (pytest.fail.Exception("so be it"), "Failed: so be it"),
        (Unprintable(), "Unprintable: (its text cannot be printed)"),
        (KeyError("\ud800"), "KeyError: '\\ud800'"),
        (OSError("a \ud800 b\x1b[31m\x00\x85\u202e"), "OSError: a \\ud800 b\\x1b[31m\\x00\\x85\\u202e"),
        (MemoryError(), "MemoryError"),
        (ExceptionGroup("two", [KeyError(1), Unprintable()]), "ExceptionGroup: two (2 sub-exceptions)"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
def test_whatever_an_engine_raises_costs_one_scenario(error: BaseException, text: str) -> None:
    sound = valve_scenario(1, "i0", id="sound")
    broken, after = transcripts(raising(error), FOUR_WATERMARKS, sound)
    assert broken.failure is not None
    assert broken.failure.kind == "exception"
    assert broken.failure.text == text
    assert after.failure is None


@pytest.mark.parametrize("end", [pytest.skip, pytest.fail, pytest.exit, sys.exit])
def test_an_engine_that_ends_tests_or_processes_costs_one_scenario(end: Callable[[str], Any]) -> None:
    found = failure(watermark(lambda channel, timestamp: end("the broker is down")))
    assert found.text.endswith(": the broker is down")
    assert "in test_an_engine_that_ends" in found.traceback or "in <lambda>" in found.traceback


def test_long_texts_and_tracebacks_are_cut() -> None:
    long = failure(raising(ValueError("x" * 10_000)))
    assert len(long.text) <= 2000
    assert long.text.endswith("{ValueError: IllegalArgument}")
    assert len(long.traceback) <= 4000

    def deeper(channel: int, timestamp: int) -> Any:
        return deeper(channel, timestamp)

    deep = failure(watermark(deeper))
    assert deep.text.startswith("RecursionError: ")
    assert 0 < len(deep.traceback) <= 4000
    assert deep.traceback.endswith("maximum recursion depth exceeded\n")


# What the kit or the user ends


def test_the_users_interrupt_gets_through() -> None:
    with pytest.raises(UserInterrupt):
        transcripts(raising(UserInterrupt()), FOUR_WATERMARKS)


class NoTime(Interruption):
    pass


@pytest.mark.parametrize("place", ["a step", "construction", "outputs", "snapshot"])
def test_what_the_kit_ends_itself_gets_through(place: str) -> None:
    def end(*_: Any) -> Any:
        raise NoTime

    engines: Mapping[str, Any] = {
        "a step": raising(NoTime()),
        "construction": end,
        "outputs": watermark(lambda channel, timestamp: map(end, [1])),
        "snapshot": type("Hostile", (Valve,), {"snapshot": end}),
    }
    scenario = interrupted() if place == "snapshot" else FOUR_WATERMARKS
    with pytest.raises(NoTime):
        transcripts(engines[place], scenario)


def test_a_timeout_of_pytest_timeout_is_not_the_engines_own() -> None:
    """It fails the test from a signal handler, wherever that is at the moment."""
    namespace: dict[str, Any] = {"__name__": "pytest_timeout", "pytest": pytest}
    exec("def timeout_sigalrm(): pytest.fail('Timeout (>1.0s) from pytest-timeout.')", namespace)
    with pytest.raises(pytest.fail.Exception, match="from pytest-timeout"):
        transcripts(watermark(lambda channel, timestamp: namespace["timeout_sigalrm"]()), FOUR_WATERMARKS)


# Outputs that are none


class NoRepr:
    def __repr__(self) -> str:
        raise IllegalArgument("no channel")


class Hostile(tuple[Any, ...]):
    """A tuple that raises what would be an answer, where it is read."""

    def __iter__(self) -> Iterator[Any]:
        raise IllegalArgument("no channel")

    def __len__(self) -> int:
        raise IllegalArgument("no channel")

    __repr__ = __str__ = __len__  # type: ignore[assignment]


class Comparing:
    def __ge__(self, other: object) -> bool:
        raise IllegalState("no channel")

    __le__ = __eq__ = __ge__
    __hash__ = None  # type: ignore[assignment]


def lazily() -> Iterator[Any]:
    yield ("watermark", 1)
    raise IllegalArgument("no channel")


def endlessly() -> Iterator[Any]:
    return itertools.repeat(("idle",))


def nested() -> Any:
    found: Any = ()
    for _ in range(100_000):
        found = (found,)
    return found


UNREADABLE: dict[str, tuple[Callable[[], Any], str]] = {
    "None": (lambda: None, "the engine returned None; expected is a list of outputs, [] for none"),
    "a bare tuple": (
        lambda: ("watermark", 5),
        "the engine returned the bare output ('watermark', 5); expected is a list of outputs, [('watermark', 5)]",
    ),
    "a bare struct": (lambda: Watermark(5), "the engine returned the bare output Watermark("),
    "an object that does not print": (
        NoRepr,
        "the engine returned an unprintable object of type NoRepr; expected is a list of outputs",
    ),
    "one in the list": (
        lambda: [NoRepr()],
        "the engine returned an unprintable object of type NoRepr; an output is a tuple of a name",
    ),
    "one in an output": (
        lambda: [("watermark", NoRepr())],
        "the engine returned an unprintable object of type",
    ),
    "a lazy generator that raises": (
        lazily,
        "the engine returned a generator, and reading its outputs raised IllegalArgument: no channel",
    ),
    "an iterator that never ends": (endlessly, "the engine returned a repeat of more than 1,000,000 outputs"),
    "a tuple that raises": (
        lambda: Hostile((1,)),
        "the engine returned a Hostile, and reading its outputs raised",
    ),
    "one that raises in the list": (
        lambda: [Hostile((1,))],
        "the engine returned an unprintable object of type Hostile; an output is a tuple of a name",
    ),
    "a timestamp that raises": (
        lambda: [("watermark", Comparing())],
        "reading its outputs raised IllegalState",
    ),
    "a deep output": (lambda: [("drop", nested())], ""),
    "a surrogate": (lambda: [("idle", "\ud800")], "surrogates not allowed"),
    "a float": (lambda: [("watermark", 1.5)], "got `float`"),
    "True": (lambda: True, "the engine returned True; expected is a list of outputs"),
    "False": (lambda: False, "the engine returned False; expected is a list of outputs"),
    "a text": (lambda: "idle", "the engine returned 'idle'; expected is a list of outputs"),
    "a dict": (
        lambda: {"watermark": 5},
        "the engine returned {'watermark': 5}; expected is a list of outputs",
    ),
    "a set": (lambda: {("idle",)}, "the engine returned {('idle',)}; expected is a list of outputs"),
}


@pytest.mark.parametrize("case", UNREADABLE)
def test_what_is_no_list_of_outputs_is_a_breach_of_the_protocol(case: str) -> None:
    make, text = UNREADABLE[case]
    broken, sound = transcripts(watermark(lambda *_: make()), FOUR_WATERMARKS, valve_scenario(1, "i0"))
    assert broken.outputs == ()
    assert broken.failure is not None
    assert broken.failure.kind == "protocol"
    assert text in broken.failure.text
    assert "\n" not in broken.failure.text
    assert sound.failure is None


def test_what_reading_raised_is_kept_with_its_traceback() -> None:
    traceback = failure(watermark(lambda *_: lazily())).traceback
    assert 'raise IllegalArgument("no channel")' in traceback


def test_an_async_method() -> None:
    class Async(Valve):
        async def watermark(self, channel: int, timestamp: int) -> Any:  # type: ignore[override]
            return super().watermark(channel, timestamp)

        async def idle(self, channel: int) -> Any:  # type: ignore[override]
            yield ("idle",)

    for scenario, kind in ((FOUR_WATERMARKS, "coroutine"), (valve_scenario(1, "i0"), "async_generator")):
        found = failure(Async, scenario)
        assert found.kind == "protocol"
        assert found.text == (
            f"the engine returned a {kind}; expected is a list of outputs: the methods of an engine in this "
            "process are not `async`"
        )


def test_where_a_step_never_outputs_anything_none_is_no_output() -> None:
    class Clock:
        def __init__(self, setup: Any) -> None:
            self.shown = 0

        def advance(self, nanoseconds: int) -> None:
            self.shown += nanoseconds

        def pause(self, reason: str) -> bool:
            return False

        def read(self) -> list[Any]:
            return [("reading", self.shown)]

    adapter = type("Clocks", (ComponentAdapter,), {"clock": lambda self, setup: Clock(setup)})({})
    steps = (AdvanceStep(5), ReadStep(), PauseStep("backpressure"))
    (found,) = run(adapter, [ClockScenario(id="c", setup=ClockSetup(), history=steps)])
    assert found is not None
    assert found.outputs == ((), (Reading(5),))
    assert found.failure is not None
    assert found.failure.text.startswith("the engine returned False; expected is a list")


# Construction, snapshot, restore


@pytest.mark.parametrize(
    "error", [KeyError("broker"), SystemExit("broker"), ValueError("broker"), Unprintable()]
)
def test_an_engine_that_cannot_be_made_costs_its_scenarios(error: BaseException) -> None:
    def make(channels: int) -> Valve:
        if channels == 1:
            raise error
        return Valve(channels)

    broken, sound = transcripts(make, FOUR_WATERMARKS, valve_scenario(2, "w0=1", "w1=1"))
    assert broken.failure is not None
    assert broken.failure.kind == "exception"
    assert broken.failure.text.startswith(type(error).__name__)
    assert "not an answer" not in broken.failure.text
    assert "raise error" in broken.failure.traceback
    assert sound.failure is None
    session = ValveAdapter(make).session(FOUR_WATERMARKS.setup)
    assert played(session, FOUR_WATERMARKS).failure is not None


def interrupted() -> ValveScenario:
    """A snapshot and a restore between two steps."""
    steps = valve_scenario(1, "w0=1", "w0=2").history
    return ValveScenario(
        id="interrupted",
        setup=FOUR_WATERMARKS.setup,
        history=(steps[0], Snapshot(), Restore(), steps[1]),
        needs=("snapshot",),
    )


class Unpicklable:
    def __reduce__(self) -> Any:
        raise IllegalState("no channel")


class Unloadable:
    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __setstate__(self, state: Any) -> None:
        raise state["error"]


def refuse(*_: Any) -> Any:
    raise IllegalState("no")


@pytest.mark.parametrize(
    ("methods", "kind", "text", "steps"),
    [
        ({"snapshot": lambda self: lambda: 1}, "protocol", "what snapshot() returned cannot be pickled: ", 1),
        (
            {"snapshot": lambda self: Unpicklable()},
            "protocol",
            "what snapshot() returned cannot be pickled: IllegalState: no channel",
            1,
        ),
        (
            {"snapshot": lambda self: Unloadable(SystemExit(1))},
            "protocol",
            "what snapshot() returned cannot be unpickled: SystemExit: 1",
            2,
        ),
        ({"snapshot": refuse}, "exception", "IllegalState: no", 1),
        ({"restore": refuse}, "exception", "IllegalState: no", 2),
        ({"restore": None}, "exception", "TypeError: 'NoneType' object is not callable", 2),
    ],
    ids=["a function", "not pickled", "not unpickled", "snapshot raises", "restore raises", "no restore"],
)
def test_state_that_is_not_kept_costs_the_scenario(
    methods: dict[str, Any], kind: str, text: str, steps: int
) -> None:
    """A snapshot is no step of a chapter, so that it cannot be refused."""
    (found,) = transcripts(type("Hostile", (Valve,), methods), interrupted())
    assert len(found.outputs) == steps
    assert found.failure is not None
    assert found.failure.kind == kind
    assert found.failure.text.startswith(text)


# Copies of the reference


def test_mutants_refuse_by_the_exceptions_of_the_kit() -> None:
    mutant = load_mutants()["valve-no-flush"]
    assert mutant.load("valve").IllegalArgument is IllegalArgument
    (found,) = run(MutantAdapter(mutant, {}), [REFUSED])
    assert found is not None
    assert found.outputs[1] == (Error("illegal-argument"),)


def test_a_refusal_of_a_mutant_can_be_pickled() -> None:
    with pytest.raises(IllegalArgument) as refused:
        load_mutants()["valve-no-flush"].load("valve").Valve(0)
    assert isinstance(pickle.loads(pickle.dumps(refused.value)), IllegalArgument)


# Adapters


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("raise SystemExit(3)", "does not import: SystemExit: 3"),
        (
            "class Engine(ComponentAdapter):\n    def __init__(self, options):\n        raise SystemExit(3)",
            "cannot be built: SystemExit: 3",
        ),
        (
            "class Engine(ComponentAdapter):\n    errors = {Exception: IllegalArgument}",
            ": errors maps every exception: name those by which the engine refuses a step",
        ),
    ],
)
def test_an_adapter_that_ends_the_process_is_bad_input(
    source: str, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    name = f"hostile_{abs(hash(source))}"
    imports = "from tidegauge import ComponentAdapter, IllegalArgument\n"
    (tmp_path / f"{name}.py").write_text(imports + source, encoding="utf-8")
    with pytest.raises(BadInput) as complaint:
        load_adapter(f"{name}:Engine", {})
    assert problem in str(complaint.value)


# Warnings

WARNS = """
import subprocess, sys, warnings
from tidegauge import ComponentAdapter
from tidegauge_reference import Valve

class Old(Valve):
    def watermark(self, channel, timestamp):
        warnings.warn("use watermarks()", DeprecationWarning)
        if timestamp == 42300000:
            subprocess.Popen([sys.executable, "-c", ""], stdout=subprocess.PIPE)
        return super().watermark(channel, timestamp)

class Engine(ComponentAdapter):
    extras = ("snapshot", "int64")
    def valve(self, setup):
        return Old(setup.channels)
"""


def test_warnings_of_a_conforming_engine_fail_nothing(
    engine_module: Callable[[str, str], None], tmp_path: Path
) -> None:
    """Neither a deprecation nor a pipe that nobody closed, under the configuration of `tidegauge run`."""
    engine_module("old", WARNS)
    command: Command = run_module(tmp_path, "pytest")
    ended = command(
        *("-c", str(Path(suites.__file__).with_name("pytest.ini")), "--rootdir", str(tmp_path)),
        *("--pyargs", "tidegauge.run.suites", "--tidegauge-adapter", "old:Engine"),
        *("--tidegauge-component", "valve", "--tidegauge-budget", "smoke", "-k", "vectors or random"),
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert " passed" in ended.stdout.splitlines()[-1]
