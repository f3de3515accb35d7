"""Scenarios: what is done to a component, as pure data."""

from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from copy import deepcopy
from pathlib import Path

import msgspec

from .input_file import read_input
from .steps.backlog import BacklogScenario
from .steps.clock import ClockScenario
from .steps.coordinator import CoordinatorScenario
from .steps.generator import GeneratorScenario
from .steps.idleness import IdlenessScenario
from .steps.job import JobScenario, job_problems
from .steps.low_watermark import LowWatermarkScenario
from .steps.source import SourceScenario
from .steps.splits import SplitsScenario
from .steps.valve import ValveScenario
from .steps.window import WindowScenario
from .timestamps import MAX, MIN, from_wire, in_words, is_beyond_plain_numbers, timestamp_fields, to_wire
from .vocabulary import PROTOCOL, Restore, Snapshot


class BadInput(Exception):
    """Input that cannot be used; the message is one line naming the thing, the place and the remedy."""


UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What the decoder raises where a document is not as it must be, or is nested too deeply to be looked at."""

ComponentScenario = (
    ClockScenario
    | GeneratorScenario
    | IdlenessScenario
    | SplitsScenario
    | ValveScenario
    | SourceScenario
    | CoordinatorScenario
    | LowWatermarkScenario
    | BacklogScenario
    | WindowScenario
)
"""A scenario of one component: steps, each with what comes out. Vectors are such.

A list of components beside `components/registry.py`, as is that of their shapes (`wire/shapes.py`): types are
checked and JSON is decoded by such unions, and the wire knows nothing of the components above it."""

Scenario = ComponentScenario | JobScenario
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
        for name in timestamp_fields(type(step)):
            found += _timestamp_problems(getattr(step, name), f"{path}.{name}", scenario.needs)
    if isinstance(scenario, JobScenario):
        found += job_problems(scenario.setup)
    return found


def _timestamp_problems(timestamp: int | str | None, path: str, needs: tuple[str, ...]) -> list[str]:
    if timestamp is None:
        return []
    if not MIN <= from_wire(timestamp) <= MAX:
        return [f"timestamp {timestamp} is not a signed 64-bit number - at `{path}`"]
    if is_beyond_plain_numbers(timestamp):
        if (plainer := to_wire(from_wire(timestamp))) != timestamp:
            return [f"write {plainer!r} for the string {timestamp!r} - at `{path}`"]
        if "int64" not in needs:
            return [f"this timestamp needs the capability 'int64' in `$.needs` - at `{path}`"]
    return []


def encode_scenario(scenario: Scenario) -> bytes:
    """The wire form: one line of JSON, without the line end."""
    return _ENCODER.encode(scenario)


def copied(scenario: Scenario) -> Scenario:
    """Return a copy that shares no object with the scenario. An engine in this process is given such copies:
    what it changes in them changes nothing of what it is judged by."""
    try:
        return _DECODER.decode(encode_scenario(scenario))
    except msgspec.ValidationError:  # a twin of a scenario may lie beyond what a file can hold
        return deepcopy(scenario)


def read_scenarios(lines: Iterable[bytes], name: str) -> Iterator[Scenario]:
    """Decode JSON lines, skipping blank ones. Raises `BadInput` naming `name`, line and JSON path; an id may
    stand once, since transcripts are matched by it."""
    line_of: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            scenario = _DECODER.decode(line)
        except UNREADABLE as error:
            raise BadInput(f"{name}, line {number}: not a scenario: {in_words(error)}") from None
        for problem in problems(scenario):
            raise BadInput(f"{name}, line {number}: {problem}")
        if line_of.setdefault(scenario.id, number) != number:
            first = line_of[scenario.id]
            raise BadInput(
                f"{name}, line {number}: the id {scenario.id!r} stands in line {first} already - at `$.id`"
            )
        yield scenario


def read_scenario_file(file: Path) -> list[Scenario]:
    """The scenarios of a file, one at least. A mark of UTF-8 at its beginning is none. Raises `BadInput`."""
    try:
        lines = read_input(file).removeprefix(BOM_UTF8).splitlines()
    except OSError as error:
        raise BadInput(f"{file} cannot be read: {error.strerror}") from None
    scenarios = list(read_scenarios(lines, str(file)))
    if not scenarios:
        raise BadInput(f"{file} holds no scenario; each line is one, as JSON")
    return scenarios
