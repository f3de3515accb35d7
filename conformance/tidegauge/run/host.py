"""The worker process of a run: it loads the engine, runs items on it, and asks it questions."""

from __future__ import annotations

import os
from contextlib import ExitStack, suppress
from importlib import import_module
from itertools import count
from typing import Any

from msgspec import Struct

from ..engine.adapter import Adapter
from ..engine.apart import SECONDS_OF_A_CALL, answers_apart, answers_together
from ..engine.loading import describe, load_adapter
from ..engine.runner import Marker
from ..engine.serving import serve
from ..wire.scenario import BadInput
from ..wire.transcript import Failure
from .item_verdict import finished
from .rare_collections import rare_collections
from .run_in_process import Run, make_run
from .work import Answered, AnyWork, Ask, Begin, Begun, Explain, Explained, RunOpening

_GRACE = 60
"""The time (s) beyond the longest time limit of a scenario after which a fresh process counts as hanging."""


class RunHost:
    """Runs items, or asks questions to an engine that has not run anything before."""

    def __init__(self, opening: RunOpening, marker: Marker) -> None:
        self._opening, self._marker = opening, marker
        self._run: Run | None = None
        self._adapter: Adapter | None = None
        self._closing = ExitStack()

    def answer(self, work: AnyWork) -> Struct:
        """Do a piece of work. Raises `BadInput` if the engine cannot be loaded."""
        if isinstance(work, Ask):
            return self._answered(work)
        if isinstance(work, Explain):
            return self._explained(work)
        run = self._loaded()
        if isinstance(work, Begin):
            return Begun(run.started(), run.left)
        self._marker.about_to_run(work.item.id, "")
        event = finished(run, work.item)
        self._marker.about_to_run(work.item.id, "")
        return event

    def close(self) -> Failure | None:
        """Close the engine. Return the failure, or None."""
        with suppress(BadInput):
            self._closing.close()
        return self._run.adapter.not_closed if self._run is not None else None

    def _loaded(self) -> Run:
        if self._run is None:
            opening = self._opening
            self._run = run = make_run(opening, self._marker)
            if any(item.suite in ("fuzz", "interactive") for item in run.left):
                # imported before the engine can change anything in this process
                import_module(".fuzz_items", __package__)
                import_module(".interactive_items", __package__)
            self._closing.callback(run.close)
            self._closing.enter_context(rare_collections())
        return self._run

    def _answered(self, work: Ask) -> Answered:
        adapter = self._adapter_of_questions()
        begun = count()

        def begins() -> None:
            self._asked(f"{os.getpid()}-{next(begun)}")

        request = self._opening.request
        if describe(request.adapter, adapter).one_process:
            answers = list(answers_together(adapter, work.questions, begins))
        else:
            answers = list(answers_apart(adapter, work.questions, request.scenario_seconds, begins))
        return Answered(answers)

    def _explained(self, work: Explain) -> Explained:
        adapter = self._adapter_of_questions()
        hints = []
        for scenario in work.scenarios:
            self._asked(scenario.id)
            hints.append(list(adapter.hints(scenario)))
        return Explained(hints)

    def _adapter_of_questions(self) -> Adapter:
        """Return the adapter that answers questions. A process that answers questions runs no items."""
        if self._adapter is None:
            request = self._opening.request
            self._adapter = load_adapter(request.adapter, request.options)
            self._closing.callback(self._adapter.close)
        return self._adapter

    def _asked(self, about: str) -> None:
        """Mark that a question is about to be answered."""
        seconds = max(SECONDS_OF_A_CALL, self._opening.request.scenario_seconds) + _GRACE
        self._marker.about_to_run("questions", about, seconds)


if __name__ == "__main__":
    works: Any = AnyWork
    serve(RunOpening, works, RunHost)
