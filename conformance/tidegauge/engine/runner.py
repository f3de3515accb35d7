"""Scenarios through an adapter: transcripts checked, matched by id, none lost."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from mmap import mmap
from pathlib import Path
from typing import NamedTuple

from ..wire.scenario import Scenario
from ..wire.transcript import Transcript
from .adapter import Adapter
from .single_answers import single_answers

_LONGEST = 800
"""Bytes of a mark."""


class Mark(NamedTuple):
    """The item and the scenario that are about to run, and within how many seconds the engine must have
    answered; 0: it has the time of the item."""

    item: str
    scenario: str
    seconds: int


class Marker:
    """A small file that always names the scenario about to run, so that a crash can be laid to it.

    It is mapped into memory: writing to it costs no system call, and works after an engine has closed all
    files.
    """

    def __init__(self, path: Path) -> None:
        path.write_bytes(b" " * _LONGEST)
        with path.open("r+b") as file:
            self._told = mmap(file.fileno(), _LONGEST)

    def about_to_run(self, item: str, scenario: str, seconds: int = 0) -> None:
        """Remember it, overwriting the last one; an empty `scenario`: none any more."""
        told = f"{seconds if scenario else 0}\t{item}\t{scenario}".encode(errors="replace")
        self._told[:] = told[:_LONGEST].ljust(_LONGEST)

    @staticmethod
    def read(path: Path) -> Mark | None:
        """What was about to run last; None if nothing was, yet."""
        try:
            seconds, item, scenario = path.read_text(encoding="utf-8", errors="replace").split("\t")
        except (OSError, ValueError):
            return None
        return Mark(item, scenario.strip(), int(seconds))


def run(
    adapter: Adapter,
    scenarios: Sequence[Scenario],
    about_to_run: Callable[[str], None] = lambda scenario: None,
) -> list[Transcript | None]:
    """The transcript of each scenario, in their order; None where the adapter gave none. `about_to_run` is
    told the id of each scenario, and in the end an empty one."""
    answers = single_answers(adapter, _announced(scenarios, about_to_run))
    transcripts = {transcript.scenario: transcript for transcript in answers}
    about_to_run("")
    return [transcripts.get(scenario.id) for scenario in scenarios]


def _announced(scenarios: Iterable[Scenario], about_to_run: Callable[[str], None]) -> Iterator[Scenario]:
    for scenario in scenarios:
        about_to_run(scenario.id)
        yield scenario
