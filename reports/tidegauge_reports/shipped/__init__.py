"""The verdicts that come with Tidegauge: results of its own engines, without what belongs to the machine.

They are one document, in which each engine has the digest of the specification that it was judged by. One
command renews them: `python -m tidegauge_reports.shipped`.
"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import PurePath

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from tidegauge.wire.results import Results, decode_results

FILE_NAME = "verdicts.json"

_OF_THE_MACHINE = ("platform", "cpus")
_ABOUT_THE_MACHINE = ("--out", "-n", "--workers")


class Shipped(Struct, frozen=True):
    """A run as it is shipped: the results in their JSON, and the `specification_digest()` at the time of the
    run; empty if that is not known."""

    specification: str
    results: Raw


def shipped_document() -> bytes:
    """The document that is installed, undecoded."""
    return files(__package__).joinpath(FILE_NAME).read_bytes()


def decode_shipped(document: bytes) -> dict[str, Shipped]:
    """The runs of a document, by the engine's name (`spark`), in the order of the names."""
    return dict(sorted(msgspec.json.decode(document, type=dict[str, Shipped]).items()))


def encode_shipped(runs: Mapping[str, Shipped]) -> bytes:
    """The document of these runs: a line for each engine, so that a change shows whose verdicts it is of."""
    lines = [msgspec.json.encode(name) + b":" + msgspec.json.encode(runs[name]) for name in sorted(runs)]
    return b"{\n" + b",\n".join(lines) + b"\n}\n"


@cache
def load_shipped() -> dict[str, Results]:
    """The shipped results by the engine's name. Raises `BadInput`."""
    runs = decode_shipped(shipped_document())
    return {name: decode_results(bytes(run.results), f"{FILE_NAME}: {name}") for name, run in runs.items()}


def shipped_run(results: Results, specification: str) -> Shipped:
    """A run as it is shipped: every verdict, without the pictures of jobs, test items that were judged, and
    what only says something about the machine. `specification` is the digest of what it was judged by."""
    return Shipped(specification, Raw(msgspec.json.encode(_without_the_machine(results))))


def _without_the_machine(results: Results) -> Results:
    return replace(
        results,
        jobs=[],
        items=[item for item in results.items if item.outcome != "judged"],
        environment={
            name: value for name, value in results.environment.items() if name not in _OF_THE_MACHINE
        },
        command=_without(results.command, _ABOUT_THE_MACHINE),
        implementation=replace(
            results.implementation,
            deviations=PurePath(results.implementation.deviations).name,
            profile_file=PurePath(results.implementation.profile_file).name,
        ),
    )


def _without(command: list[str], options: tuple[str, ...]) -> list[str]:
    """A command without some options and their values."""
    return [
        word
        for place, word in enumerate(command)
        if word not in options and (place == 0 or command[place - 1] not in options)
    ]
