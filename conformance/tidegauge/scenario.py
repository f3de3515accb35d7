"""Scenarios: what is done to a component, as pure data."""

from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec
from msgspec import Struct

from .components.job.vocabulary import JobSetup, RunStep
from .components.valve.vocabulary import ValveSetup, ValveStep
from .timestamps import MAX, MIN, from_wire, to_wire
from .vocabulary import PROTOCOL, Restore, Setup, Snapshot, Step


class BadInput(Exception):
    """Input that cannot be used; the message is one line naming the thing, the place and the remedy."""


class Origin(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Where a scenario comes from: a published vector, a state cover, a seed with an index, a shrunk or
    otherwise derived scenario, or a user's own file."""

    kind: Literal["vector", "cover", "seed", "shrunk", "variant", "own"]
    seed: int | None = None
    index: int | None = None
    of: str | None = None


class BaseScenario(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What scenarios of all components have; each has its own types of `setup` and `history`.

    `groups` are the numbers of steps between the borders at which an engine that observes groups
    (micro-batches) reports; empty means one group. `needs` are capabilities without which the scenario
    does not apply.
    """

    id: str
    setup: Setup
    history: tuple[Step, ...]
    origin: Origin = Origin("own")
    needs: tuple[str, ...] = ()
    groups: tuple[int, ...] = ()
    spec: str = "1.0"
    protocol: int = PROTOCOL


class ValveScenario(BaseScenario, frozen=True, kw_only=True, tag_field="component", tag="valve"):
    """A history of steps on one valve."""

    setup: ValveSetup
    history: tuple[ValveStep, ...]


class JobScenario(BaseScenario, frozen=True, kw_only=True, tag_field="component", tag="job"):
    """A job that runs, with its event log as the only output."""

    setup: JobSetup
    history: tuple[RunStep, ...] = (RunStep(),)


Scenario = ValveScenario | JobScenario
"""Any component's scenario; the tag `component` tells which."""

_DECODER: msgspec.json.Decoder[Scenario] = msgspec.json.Decoder(Scenario)
_ENCODER = msgspec.json.Encoder()


def component_of(scenario: Scenario) -> str:
    """The name of the component that the scenario is about."""
    return str(scenario.__struct_config__.tag)


def problems(scenario: Scenario) -> list[str]:
    """What is wrong with a scenario beyond the types of its fields, each with the path in the JSON."""
    found = []
    if scenario.protocol != PROTOCOL:
        found.append(f"protocol {scenario.protocol} is not {PROTOCOL} - at `$.protocol`")
    if scenario.groups and sum(scenario.groups) != len(scenario.history):
        found.append(f"groups do not add up to the {len(scenario.history)} steps - at `$.groups`")
    if any(length < 1 for length in scenario.groups):
        found.append("a group needs at least one step - at `$.groups`")
    saved = False
    for index, step in enumerate(scenario.history):
        path = f"$.history[{index}]"
        if isinstance(step, Snapshot | Restore) and "snapshot" not in scenario.needs:
            found.append(f"this step needs the capability 'snapshot' in `$.needs` - at `{path}`")
        if isinstance(step, Restore) and not saved:
            found.append(f"restore without a snapshot before it - at `{path}`")
        saved = saved or isinstance(step, Snapshot)
        timestamp = getattr(step, "timestamp", 0)
        if not MIN <= from_wire(timestamp) <= MAX:
            found.append(f"timestamp {timestamp} is not a signed 64-bit number - at `{path}.timestamp`")
        elif isinstance(timestamp, str) and timestamp not in ("MIN", "MAX"):
            if (plainer := to_wire(from_wire(timestamp))) != timestamp:
                found.append(f"write {plainer!r} for the string {timestamp!r} - at `{path}.timestamp`")
            elif "int64" not in scenario.needs:
                found.append(
                    f"this timestamp needs the capability 'int64' in `$.needs` - at `{path}.timestamp`"
                )
    return found


def encode_scenario(scenario: Scenario) -> bytes:
    """The wire form: one line of JSON, without the line end."""
    return _ENCODER.encode(scenario)


def read_scenarios(lines: Iterable[bytes], name: str) -> Iterator[Scenario]:
    """Decode JSON lines, skipping blank ones. Raises `BadInput` naming `name`, line and JSON path; an id may
    stand once, since transcripts are matched by it."""
    line_of: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            scenario = _DECODER.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise BadInput(f"{name}, line {number}: not a scenario: {error}") from None
        for problem in problems(scenario):
            raise BadInput(f"{name}, line {number}: {problem}")
        if line_of.setdefault(scenario.id, number) != number:
            first = line_of[scenario.id]
            raise BadInput(
                f"{name}, line {number}: the id {scenario.id!r} stands in line {first} already - at `$.id`"
            )
        yield scenario
