"""Answers that are taken once: an engine that contradicts itself gives no answer."""

import traceback
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..wire.scenario import Scenario
from ..wire.transcript import Failure, Transcript
from .adapter import Adapter
from .foreign_text import shown
from .wire_check import checked


def single_answers(adapter: Adapter, scenarios: Iterable[Scenario]) -> Iterator[Transcript]:
    """Yield the transcripts of the adapter, checked.

    A second transcript of a scenario replaces the first one by a failure. So does a transcript of a scenario
    that the adapter has not been asked for: the failure is that of the scenario that it has taken last.
    """
    asked: Counter[str] = Counter()
    answered: Counter[str] = Counter()
    failed: set[str] = set()
    last = ""

    def taken() -> Iterator[Scenario]:
        nonlocal last
        for scenario in scenarios:
            last = scenario.id
            asked[last] += 1
            yield scenario

    for transcript in map(checked, adapter.run(taken())):
        name = transcript.scenario
        answered[name] += 1
        problem = ""
        if name not in asked:
            problem = f"the engine answered for scenario {shown(name)}, which it was not asked for"
            name = last
        elif answered[name] > asked[name]:
            problem = f"the engine answered for scenario {shown(name)} twice"
        if problem and name not in failed:
            failed.add(name)
            yield Transcript(name, (), Failure("protocol", problem))
        elif name not in failed:
            yield transcript


def place_in_adapter(error: BaseException) -> str | None:
    """Where the `run` of an adapter raised it, by file and line; None if it comes from elsewhere, or if that
    adapter is one of the kit."""
    frames = list(traceback.walk_tb(error.__traceback__))
    modules = [str(frame.f_globals.get("__name__")) for frame, _ in frames]
    asked = max((place for place, module in enumerate(modules) if module == __name__), default=None)
    if asked is None or asked + 1 == len(frames) or modules[asked + 1].startswith("tidegauge"):
        return None
    frame, number = frames[asked + 1]
    return f"{Path(frame.f_code.co_filename).name}, line {number}"
