"""Scenarios through an adapter: transcripts checked, matched by id, none lost."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from ..wire.scenario import Scenario
from ..wire.transcript import Transcript
from .adapter import Adapter
from .wire_check import checked

_LONGEST_ID = 200


class Marker:
    """A small file that always names the scenario about to run, so that a crash can be laid to it."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o644)

    def about_to_run(self, item: str, scenario: str) -> None:
        """Remember both, overwriting the last ones."""
        os.pwrite(self._file, f"{item}\t{scenario}"[:_LONGEST_ID].ljust(_LONGEST_ID).encode(), 0)

    @staticmethod
    def read(path: Path) -> tuple[str, str] | None:
        """The item and the scenario that were about to run last, if any."""
        if not path.is_file():
            return None
        item, _, scenario = path.read_text(encoding="utf-8", errors="replace").strip().partition("\t")
        return (item, scenario) if scenario else None


def run(
    adapter: Adapter,
    scenarios: Sequence[Scenario],
    about_to_run: Callable[[str], None] = lambda scenario: None,
) -> list[Transcript | None]:
    """The transcript of each scenario, in their order; None where the adapter gave none."""
    transcripts = {
        transcript.scenario: checked(transcript)
        for transcript in adapter.run(_announced(scenarios, about_to_run))
    }
    return [transcripts.get(scenario.id) for scenario in scenarios]


def _announced(scenarios: Iterable[Scenario], about_to_run: Callable[[str], None]) -> Iterator[Scenario]:
    for scenario in scenarios:
        about_to_run(scenario.id)
        yield scenario
