"""Accepts one answer per scenario: an engine that contradicts itself gives no valid answer."""

from collections import Counter
from collections.abc import Iterable, Iterator

from ..wire.scenario import Scenario
from ..wire.transcript import Failure, Transcript
from .adapter import Adapter
from .foreign_text import shown
from .wire_check import checked

_MOST_SURPLUS = 1_000
"""The limit of surplus transcripts, in addition to one surplus transcript for each scenario."""


def single_answers(adapter: Adapter, scenarios: Iterable[Scenario]) -> Iterator[Transcript]:
    """Yield the transcripts of the adapter, checked.

    A second transcript of a scenario replaces the first one with a failure. A transcript of a scenario that
    was never passed to the adapter is a failure of the scenario that the adapter has taken last, or of the
    first scenario if the adapter has taken none. An adapter that exceeds the limit of surplus transcripts is
    not read any further.
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

    surplus = 0
    early: Failure | None = None
    for transcript in map(checked, adapter.run(taken())):
        name, failure = transcript.scenario, transcript.failure
        answered[name] += 1
        if name not in asked:
            told = f"the engine answered for scenario {shown(name)}, which it was not asked for"
            name, failure = last, Failure("protocol", told)
        elif answered[name] <= asked[name]:
            if name not in failed:
                yield transcript
            continue
        elif failure is None:
            failure = Failure("protocol", f"the engine answered for scenario {shown(name)} twice")
        if not name:
            early = early or failure
        elif name not in failed:
            failed.add(name)
            yield Transcript(name, (), failure)
        surplus += 1
        if surplus > len(asked) + _MOST_SURPLUS:
            break
    if early is not None and asked:
        yield Transcript(next(iter(asked)), (), early)
