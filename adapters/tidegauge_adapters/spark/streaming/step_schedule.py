"""Scenarios side by side in one query: what is fed before which restart."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import zip_longest

from tidegauge.wire.scenario import Scenario
from tidegauge.wire.vocabulary import Restore, Snapshot

from ..binding.processor_binding import ProcessorBinding
from ..binding.step_rows import scenario_batches, step_row
from .checkpointed_query import Rows


@dataclass
class Leg:
    """What happens after one start of the query from its checkpoint and before the next.

    Batches in `undone` are fed first and undone by a return to the checkpoint as it was before them; those
    in `kept` are fed then.
    """

    undone: list[Rows] = field(default_factory=list)
    kept: list[Rows] = field(default_factory=list)


def schedule(binding: ProcessorBinding, scenarios: Iterable[Scenario]) -> list[Leg]:
    """The legs of all scenarios at once: their n-th batches in a leg are one micro-batch."""
    together: list[Leg] = []
    for column in zip_longest(*(legs(binding, scenario) for scenario in scenarios)):
        present = [leg for leg in column if leg is not None]
        together.append(Leg(_merged(leg.undone for leg in present), _merged(leg.kept for leg in present)))
    return together


def legs(binding: ProcessorBinding, scenario: Scenario) -> list[Leg]:
    """At least two legs if there are two steps: the borders are the restores, or the first group border."""
    if not any(isinstance(step, Restore) for step in scenario.history):
        batches = [batch for batch in scenario_batches(binding, scenario) if isinstance(batch, list)]
        return [Leg(kept=batches[:1]), Leg(kept=batches[1:])]
    found: list[Leg] = []
    undone: Rows = []
    kept: Rows = []
    since_snapshot: Rows | None = None
    for sequence, step in enumerate(scenario.history):
        if isinstance(step, Snapshot):
            kept += since_snapshot or []
            since_snapshot = []
        elif isinstance(step, Restore):
            found.append(_leg(undone, kept))
            undone, kept, since_snapshot = since_snapshot or [], [], []
        else:
            row = step_row(binding, scenario.id, scenario.setup, sequence, step)
            (kept if since_snapshot is None else since_snapshot).append(row)
    return [*found, _leg(undone, kept + (since_snapshot or []))]


def _leg(undone: Rows, kept: Rows) -> Leg:
    return Leg([undone] if undone else [], [kept] if kept else [])


def _merged(batches_of_scenarios: Iterable[list[Rows]]) -> list[Rows]:
    return [
        [row for batch in side_by_side for row in batch or ()]
        for side_by_side in zip_longest(*batches_of_scenarios)
    ]
