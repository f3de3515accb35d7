"""What the process protocol demands of an engine: tried one after the other."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tidegauge.components.registry import COMPONENTS
from tidegauge.components.within import component_within
from tidegauge.engine.capabilities import capabilities
from tidegauge.engine.errors import NotAnswered
from tidegauge.engine.shape_check import read_shapes
from tidegauge.judging.items.preflight import preflight_scenarios
from tidegauge.wire.protocol import Description, NotUnderstood
from tidegauge.wire.scenario import Scenario
from tidegauge.wire.transcript import Transcript, spans
from tidegauge_reference import CORE

from .conversation import Conversation

_UNKNOWN = b'{"request":"sing"}\n'


class Broken(Exception):
    """The engine does not do as the protocol says."""


@dataclass(frozen=True)
class Check:
    """One thing that the protocol demands, and what the engine does instead; empty if it does it."""

    demands: str
    instead: str
    stderr: str = ""


def checked(start: Callable[[], Conversation]) -> Iterator[Check]:
    """What the protocol demands, one after the other; `start` starts a process of the engine. Raises
    `BadInput` if that is not possible."""
    talk = start()
    description: Description | None = None

    def described() -> None:
        nonlocal description
        description = talk.describe()
        for claimed in description.capabilities:
            if claimed not in capabilities():
                raise Broken(f"it claims the capability {claimed!r}; there are {', '.join(capabilities())}")

    first = _check(
        "the first answer is a description, of the kit's protocol and known capabilities", described
    )
    yield first
    if first.instead or description is None:
        talk.end()
        return
    scenarios = _scenarios(description)

    def expressed() -> None:
        for scenario in scenarios:
            talk.inexpressible(scenario)

    def alone() -> None:
        for scenario in scenarios:
            for transcript in talk.run([scenario]):
                _fits(scenario, transcript, description)

    def together() -> None:
        by_id = {scenario.id: scenario for scenario in scenarios}
        for transcript in talk.run(scenarios):
            _fits(by_id[transcript.scenario], transcript, description)

    def unknown() -> None:
        answer = talk.send(_UNKNOWN)
        if not isinstance(answer, NotUnderstood):
            raise Broken(f"it answered {_UNKNOWN.decode().strip()} by {answer}; expected is an 'error'")

    def stepped() -> None:
        _step_two(talk, scenarios)

    def stopped() -> None:
        _ended(talk.stop())
        if rest := talk.left_over():
            raise Broken(f"after its last answer it wrote {rest[:200]!r} to stdout")

    demands: list[tuple[str, Callable[[], None]]] = [
        (f"a scenario for each kind of step is answered ({len(scenarios)})", alone),
        ("many scenarios of one request are answered", together),
    ]
    if description.hides:
        demands.insert(0, ("it says of each scenario whether it expresses it", expressed))
    if description.sessions:
        demands += [("two sessions are stepped alternately and closed", stepped)]
    demands += [
        ("a request that does not exist is answered by 'error'", unknown),
        ("`stop` ends it with exit code 0", stopped),
    ]
    for demand, check in demands:
        found = _check(demand, check)
        yield found
        if found.instead and check is not stopped:
            talk.end()
            talk = start()
            talk.describe()
    if left := talk.end():
        yield Check("it leaves no process behind", f"it left {', '.join(left)}, which were ended")
    talk = start()

    def end_of_input() -> None:
        talk.describe()
        _ended(talk.end_of_input())

    yield _check("the end of its stdin ends it with exit code 0", end_of_input)
    talk.end()


def _check(demands: str, check: Callable[[], None]) -> Check:
    try:
        check()
    except NotAnswered as gone:
        return Check(demands, gone.failure.text, gone.failure.traceback)
    except Broken as broken:
        return Check(demands, str(broken))
    return Check(demands, "")


def _scenarios(description: Description) -> list[Scenario]:
    """A scenario for each kind of step of each component that the engine claims, within its shape."""
    shapes = read_shapes(description.shapes)
    return [
        scenario
        for name in description.capabilities
        if name in COMPONENTS
        for scenario in preflight_scenarios(component_within(name, shapes), CORE, description.capabilities)
    ]


def _fits(scenario: Scenario, transcript: Transcript, description: Description | None) -> None:
    if transcript.failure is not None:
        raise Broken(f"scenario {scenario.id!r}: the engine raised {transcript.failure.text}")
    assert description is not None
    expected, got = len(spans(scenario, description.observes)), len(transcript.outputs)
    if expected != got:
        raise Broken(
            f"scenario {scenario.id!r} has {expected} observed spans ({description.observes}), and the "
            f"transcript outputs of {got}: one list a span, empty ones included"
        )


def _step_two(talk: Conversation, scenarios: list[Scenario]) -> None:
    for scenario in scenarios:
        component = scenario.id.partition(":")[0]
        for session in ("first", "second"):
            talk.open(session, component, scenario.setup)
        for step in scenario.history:
            for session in ("first", "second"):
                talk.step(session, step)
        for session in ("first", "second"):
            talk.close_session(session)


def _ended(code: int | None) -> None:
    if code is None:
        raise Broken("it did not end within 5 s")
    if code:
        raise Broken(f"it ended with exit code {code}")
