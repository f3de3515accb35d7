"""`results.json` of a campaign: the judgement that a run would give on the same scenarios."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from msgspec.structs import replace

from tidegauge.run.assembly import assemble
from tidegauge.run.confirmation import confirmed
from tidegauge.run.journal import AnyEvent, Ended, Finished, Started
from tidegauge.run.run_in_process import environment
from tidegauge.run.trial_answers import asking
from tidegauge.wire.results import Results

from .specification import Chunk, Specification


def results_of(
    specification: Specification,
    chunks: Sequence[Chunk],
    finished: Sequence[Finished],
    folder: Path,
    command: list[str],
    seconds: float,
) -> Results:
    """The results of finished chunks; files of counterexamples go into `folder`."""
    refused = [
        Chunk(one.item, one.report.component, "preflight", "", 0, 0)
        for one in finished
        if one.report and one.report.refused
    ]
    planned = [*refused, *chunks]
    started = Started(
        request=specification.request,
        profile=specification.profile,
        own_profile=specification.own_profile,
        implementation=specification.implementation,
        environment=environment(),
        planned=tuple(chunk.id for chunk in planned),
        time=datetime.now(UTC).isoformat(timespec="seconds"),
        known=specification.known,
    )
    events: list[AnyEvent] = [started, *finished, Ended()]
    ask = asking(events, specification.request, folder)
    assembled = assemble(events, folder, command, seconds, planned, ask=ask)
    named = replace(assembled, budget=f"campaign of {specification.size:,}")
    return confirmed(named, specification.request, folder)
