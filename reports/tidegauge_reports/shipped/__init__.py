"""The verdicts that come with Tidegauge: results documents of its own engines, without what belongs to the
machine they ran on. `python -m tidegauge_reports.shipped FOLDER` renews one after a run."""

from functools import cache
from importlib.resources import files
from pathlib import PurePath

import msgspec
from msgspec.structs import replace

from tidegauge.wire.results import Results, decode_results
from tidegauge.wire.scenario import BadInput

_OF_THE_MACHINE = ("platform", "cpus")
_ABOUT_THE_MACHINE = ("--out", "-n", "--workers")


@cache
def load_shipped() -> dict[str, Results]:
    """The shipped results by the engine's name (`spark`), in the order of the names. Raises `BadInput`."""
    documents = {
        entry.name.removesuffix(".json"): entry
        for entry in files(__package__).iterdir()
        if entry.name.endswith(".json")
    }
    return {
        name: decode_results(documents[name].read_bytes(), documents[name].name) for name in sorted(documents)
    }


def engine_name(results: Results) -> str:
    """The name under which the engine was put under test: what `--adapter` said. Raises `BadInput`."""
    for option, value in zip(results.command, results.command[1:], strict=False):
        if option == "--adapter" and value.replace("-", "").isalnum():
            return value
    raise BadInput("the command of these results names no registered adapter, so they cannot be shipped")


def shipped_form(results: Results) -> Results:
    """A run as it is shipped: every verdict, without the pictures of jobs, test items that were judged, and
    what only says something about the machine."""
    return replace(
        results,
        jobs=[],
        items=[item for item in results.items if item.outcome != "judged"],
        environment={
            name: value for name, value in results.environment.items() if name not in _OF_THE_MACHINE
        },
        command=_without(results.command, _ABOUT_THE_MACHINE),
        implementation=replace(
            results.implementation, deviations=PurePath(results.implementation.deviations).name
        ),
    )


def encode_shipped(results: Results) -> bytes:
    """The document, without spaces."""
    return msgspec.json.encode(shipped_form(results)) + b"\n"


def _without(command: list[str], options: tuple[str, ...]) -> list[str]:
    """A command without some options and their values."""
    return [
        word
        for place, word in enumerate(command)
        if word not in options and (place == 0 or command[place - 1] not in options)
    ]
