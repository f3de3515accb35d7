"""The journal: one JSON line for each event of a run, written as it happens, so that nothing is lost when
the run ends early. `results.json` is made from it."""

from __future__ import annotations

from os import truncate
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from ..judging.items.item_report import ItemReport
from ..judging.reference.deviations import KnownDeviations
from ..wire.implementation import Implementation
from ..wire.input_file import MOST_BYTES
from ..wire.own_profile import OwnProfile
from ..wire.scenario import UNREADABLE, BadInput
from ..wire.shapes import AnyShape
from ..wire.transcript import Failure, Transcript
from .own_folder import naming
from .request import Request

FILE_NAME = "journal.jsonl"

Outcome = Literal["judged", "failed", "crashed", "timeout", "error", "not-run"]


class Event(Struct, frozen=True, tag_field="event", omit_defaults=True):
    """One line of the journal."""


class Started(Event, frozen=True, tag="started"):
    """What is run, and on whom. `own_profile` is the profile of the engine's author, if `profile` names none
    of the specification. `time` is ISO 8601, UTC. `drawn` are the shapes within which scenarios are drawn."""

    request: Request
    profile: str
    implementation: Implementation
    environment: dict[str, str]
    planned: tuple[str, ...]
    time: str
    known: KnownDeviations = KnownDeviations()
    drawn: tuple[AnyShape, ...] = ()
    own_profile: OwnProfile | None = None


class Finished(Event, frozen=True, tag="finished"):
    """An item ended. `running` is the scenario that was about to run when it crashed or timed out, `did` what
    the engine did then, where its process had to be killed."""

    item: str
    outcome: Outcome
    duration_s: float
    report: ItemReport | None = None
    text: str = ""
    running: str = ""
    did: str = ""


class Ended(Event, frozen=True, tag="ended"):
    """The run has completed. `problem`: why no process of the engine started any more, if so; `not_closed`:
    what the engine did instead of closing; `outside`: the failures of the engine outside of any scenario."""

    problem: str = ""
    not_closed: str = ""
    outside: tuple[Failure, ...] = ()


class Tried(Event, frozen=True, tag="tried"):
    """The transcripts of the engine in the scenarios that tested a model, after the session."""

    transcripts: list[Transcript]


AnyEvent = Started | Finished | Ended | Tried

_DECODER = msgspec.json.Decoder(AnyEvent)
_ENCODER = msgspec.json.Encoder()


class Journal:
    """Appends events to `folder/journal.jsonl`, which is emptied unless it `goes_on`. Raises `BadInput` if
    the folder cannot be written."""

    def __init__(self, folder: Path, goes_on: bool = False) -> None:
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = (folder / FILE_NAME).open("ab" if goes_on else "wb", buffering=0)
        except OSError as error:
            raise BadInput(
                f"output folder {folder} cannot be written: {error.strerror}; choose another"
            ) from None

    def write(self, event: AnyEvent) -> None:
        """Append one event; it is on disk when this returns."""
        path = self.folder / FILE_NAME
        size = path.stat().st_size
        line = _ENCODER.encode(event) + b"\n"
        with naming(path):
            try:
                while line:  # a disk that becomes full takes a part first
                    line = line[self._file.write(line) :]
            except OSError:
                truncate(path, size)  # half a line would spoil the next event
                raise

    def close(self) -> None:
        """No more events."""
        self._file.close()


class JournalReader:
    """Reads a journal that may still be growing; a line that is not complete yet waits."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE_NAME
        self._position = 0

    def new_events(self) -> list[AnyEvent]:
        """The events appended since the last call. Raises `BadInput` for a line that is no event."""
        if not self._path.is_file():
            return []
        events: list[AnyEvent] = []
        with self._path.open("rb") as file:
            file.seek(self._position)
            try:
                while (line := file.readline(MOST_BYTES)).endswith(b"\n"):
                    self._position += len(line)
                    events.append(_DECODER.decode(line))
            except UNREADABLE as error:
                raise BadInput(f"{self._path} is not a journal of this version: {error}") from None
            except OSError as error:
                raise BadInput(f"{self._path} cannot be read: {error.strerror}") from None
        if len(line) == MOST_BYTES:
            raise BadInput(f"{self._path} is not a journal: it has a line of {MOST_BYTES:,} bytes or more")
        return events
