"""The process protocol: what the kit writes to an engine's stdin, and what the engine answers on its stdout.

Each message is a line of JSON. The engine answers each request before it reads the next one: one line, or for
`run` one line a scenario, in any order. stdout is for answers alone; whatever else there is to say goes to
stderr, of which the kit keeps the end. `stop`, and the end of stdin, end the engine.
"""

from typing import Any, Literal

import msgspec
from msgspec import Struct

from .implementation import Layer
from .json_schema import json_schema
from .scenario import Scenario
from .transcript import Observation, Outputs
from .vocabulary import PROTOCOL


class Request(Struct, frozen=True, forbid_unknown_fields=True, tag_field="request"):
    """What the kit asks."""


class Describe(Request, frozen=True, tag="describe"):
    """Who is under test? The first request. Answered by `description`."""

    protocol: int = PROTOCOL


class Run(Request, frozen=True, tag="run"):
    """Put each scenario through a new instance. Answered by a `transcript` for each of them."""

    scenarios: tuple[Scenario, ...]


class Inexpressible(Request, frozen=True, tag="inexpressible"):
    """Does the engine have no words for this scenario? Asked only of engines with `hides`. Answered by
    `expressed`."""

    scenario: Scenario


class Open(Request, frozen=True, tag="open"):
    """Make an instance of a component, which lives until it is closed, beside others. `setup` is that of a
    scenario of the component. Asked only of engines with `sessions`. Answered by `opened`."""

    session: str
    component: str
    setup: Any


class StepSession(Request, frozen=True, tag="step"):
    """Do one step, like those of a scenario's history, on an instance. Answered by `outputs`."""

    session: str
    step: Any


class Close(Request, frozen=True, tag="close"):
    """The instance is not needed any more. Answered by `closed`."""

    session: str


class Stop(Request, frozen=True, tag="stop"):
    """End, with exit code 0. Not answered."""


AnyRequest = Describe | Run | Inexpressible | Open | StepSession | Close | Stop


class Answer(Struct, frozen=True, forbid_unknown_fields=True, tag_field="answer"):
    """What the engine answers."""


class Raised(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The engine raised what is no refusal of a step: the type and message of the exception, and where."""

    text: str
    traceback: str = ""


class Description(Answer, frozen=True, kw_only=True, omit_defaults=True, tag="description"):
    """Who is under test. `protocol` is the version that the engine speaks; `sessions`: it answers `open`,
    `step` and `close`; `hides`: it answers `inexpressible`. `shapes` are objects like those of `wire.shapes`,
    each with its `component`. The other fields are those of `Implementation`, where they are explained."""

    protocol: int
    name: str
    version: str
    capabilities: tuple[str, ...]
    sessions: bool = False
    hides: bool = False
    profile: str = "core"
    observes: Observation = "step"
    layer: Layer = "in-process"
    overshoot: str | None = None
    overshoot_ms: int = 0
    reaction_ms: int = 0
    one_process: bool = False
    at_most: dict[str, int] = {}
    refuses: bool = True
    shapes: tuple[dict[str, Any], ...] = ()
    by_adapter: dict[str, str] = {}
    remark: str = ""


class ScenarioDone(Answer, frozen=True, omit_defaults=True, tag="transcript"):
    """What came out of a scenario: the outputs of each observed span, empty ones included. With `failure`,
    the spans end before the one that failed."""

    scenario: str
    outputs: tuple[Outputs, ...]
    failure: Raised | None = None


class Expressed(Answer, frozen=True, omit_defaults=True, tag="expressed"):
    """Whether the engine has words for a scenario: `reason` says what it lacks, and is empty if it lacks
    nothing."""

    scenario: str
    reason: str = ""


class Opened(Answer, frozen=True, tag="opened"):
    """The instance is there."""

    session: str


class StepDone(Answer, frozen=True, omit_defaults=True, tag="outputs"):
    """The outputs of a step."""

    session: str
    outputs: Outputs
    failure: Raised | None = None


class Closed(Answer, frozen=True, tag="closed"):
    """The instance is gone."""

    session: str


class NotUnderstood(Answer, frozen=True, tag="error"):
    """The request is none that the engine knows, or cannot be read; `text` says why."""

    text: str


AnyAnswer = Description | ScenarioDone | Expressed | Opened | StepDone | Closed | NotUnderstood

ANSWERS: msgspec.json.Decoder[AnyAnswer] = msgspec.json.Decoder(AnyAnswer)

_ENCODER = msgspec.json.Encoder()


def request_line(request: AnyRequest) -> bytes:
    """The line of a request, with its end."""
    return _ENCODER.encode(request) + b"\n"


def schemas() -> dict[Literal["requests", "answers"], dict[str, Any]]:
    """JSON Schemas of a request and of an answer. `setup` and `step` of sessions are those of scenarios."""
    return {"requests": json_schema(AnyRequest), "answers": json_schema(AnyAnswer)}
