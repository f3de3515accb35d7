"""Answers that are taken once: an engine that contradicts itself gives no answer."""

from collections import Counter
from collections.abc import Iterable, Iterator

from ..wire.scenario import Scenario
from ..wire.transcript import Failure, Transcript
from .adapter import Adapter
from .foreign_text import shown
from .wire_check import checked

_MOST_SURPLUS = 1_000
"""Transcripts that an engine may give beyond two for each scenario."""


def single_answers(adapter: Adapter, scenarios: Iterable[Scenario]) -> Iterator[Transcript]:
    """Yield the transcripts of the adapter, checked.

    A second transcript of a scenario replaces the first one by a failure. So does a transcript of a scenario
    that the adapter has not been asked for: the failure is that of the scenario that it has taken last, or
    of the first one if it has taken none. An adapter that gives more and more such transcripts is not asked
    any more.
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
