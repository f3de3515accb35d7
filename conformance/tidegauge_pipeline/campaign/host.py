"""The worker process of a campaign: it runs the engine and judges the transcripts."""

from contextlib import suppress
from dataclasses import replace
from typing import Any

from msgspec import Struct

from tidegauge.components.registry import COMPONENTS
from tidegauge.engine.contained import ContainedAdapter
from tidegauge.engine.loading import load_adapter
from tidegauge.engine.runner import Marker
from tidegauge.engine.serving import serve
from tidegauge.judging.items.examination import Examiner
from tidegauge.judging.items.preflight import preflight, preflight_scenarios
from tidegauge.run.drawn_items import DrawnItems
from tidegauge.run.rare_collections import rare_collections
from tidegauge.run.scenario_cache import scenario_cache
from tidegauge.wire.scenario import BadInput
from tidegauge.wire.transcript import Failure

from .engine import TimedEngine
from .judgement import judged
from .specification import Specification
from .work import AnyWork, Judge, Judged, Lost, Preflight, Refusals, Shrink, Shrunk


class Host:
    """Does the work of one campaign, and marks the scenario that is about to run."""

    def __init__(self, specification: Specification, marker: Marker) -> None:
        self._specification = specification
        self._policies = specification.policies
        self._items = DrawnItems(specification.request, self._policies, scenario_cache())
        self._marker = marker
        self._adapter: ContainedAdapter | None = None
        self._of = ""

    def answer(self, work: AnyWork) -> Struct:
        """Do a piece of work. Raises `BadInput` if the engine cannot be loaded."""
        if isinstance(work, Judge):
            return self._judge(work)
        if isinstance(work, Shrink):
            examiner, _ = self._examiner("shrinking", work.lost, work.scenario.id)
            judgement, transcript = examiner.judged([work.scenario])[0]
            return Shrunk(examiner.shrunk(work.scenario, judgement, transcript))
        return self._preflight(work)

    def close(self) -> Failure | None:
        """Close the engine. Return the failure, or None."""
        if self._adapter is None:
            return None
        with suppress(BadInput):
            self._adapter.close()
        return self._adapter.not_closed

    def _judge(self, work: Judge) -> Judged:
        examiner, engine = self._examiner(work.chunk.id, work.lost, str(work.start))
        part = replace(work.chunk, start=work.start, stop=work.stop)
        drawn = self._items.of(part, self._specification.implementation.shapes)
        scenarios = list(enumerate(drawn, work.start))
        rows, differences = judged(examiner, engine, scenarios, work.chunk.start, work.report, work.in_full)
        return Judged(work.report, rows, differences)

    def _preflight(self, work: Preflight) -> Refusals:
        examiner, engine = self._examiner("preflight", work.lost)
        capabilities = self._specification.implementation.capabilities
        scenarios = preflight_scenarios(COMPONENTS[work.component], self._policies, capabilities)
        return Refusals(preflight(engine, scenarios, examiner.about_to_run))

    def _examiner(self, purpose: str, lost: Lost, part: str = "") -> tuple[Examiner, TimedEngine]:
        """Return a judge of the engine. Each chunk has a new engine, so that chunks may come in any order; an
        engine whose calls take seconds is kept. Each `part` of a purpose has a time limit of its own."""
        if self._adapter is None or (purpose != self._of and not self._adapter.ahead):
            if self._adapter is not None:
                self._adapter.close()
            request = self._specification.request
            self._adapter, self._of = load_adapter(request.adapter, request.options), purpose
        engine = TimedEngine(self._adapter, lost)
        seconds = self._specification.request.scenario_seconds if engine.is_one_by_one else 0
        timed = f"{purpose} {part}".rstrip()
        examiner = Examiner(
            engine,
            self._specification.implementation,
            self._policies,
            deviations=self._specification.known.deviation,
            about_to_run=lambda scenario: self._marker.about_to_run(timed, scenario, seconds),
            known=self._items.known,
        )
        return examiner, engine


@rare_collections()
def main() -> None:
    """Serve a campaign."""
    works: Any = AnyWork
    serve(Specification, works, Host)


if __name__ == "__main__":
    main()
