"""The engine of a campaign, seen through what is known of it: how long each scenario takes, and which ones it
does not survive."""

from collections.abc import Iterable, Iterator
from time import perf_counter_ns

from tidegauge import Adapter, Transcript
from tidegauge.engine.adapter import ComponentAdapter
from tidegauge.engine.contained import own_adapter
from tidegauge.wire.scenario import Scenario

from .work import Lost


class TimedEngine(Adapter):
    """Puts scenarios through `adapter`, except the `lost` ones, which are answered with how it failed there.

    `nanoseconds`: how long each scenario took. An engine that takes several at once is timed as a whole, and
    each scenario has its share.
    """

    def __init__(self, adapter: Adapter, lost: Lost) -> None:
        super().__init__(adapter.options)
        self.adapter, self.lost = adapter, lost
        self.nanoseconds: dict[str, int] = {}
        self._began = 0

    @property
    def is_one_by_one(self) -> bool:
        """Whether a scenario is run as soon as it is taken."""
        return isinstance(own_adapter(self.adapter), ComponentAdapter)

    def run(self, scenarios: Iterable[Scenario]) -> Iterator[Transcript]:
        """The transcripts of the engine, then those of the lost scenarios."""
        lost: list[str] = []
        call = perf_counter_ns()
        answered: list[str] = []
        for transcript in self.adapter.run(self._taken(scenarios, lost)):
            self.nanoseconds[transcript.scenario] = perf_counter_ns() - self._began
            answered.append(transcript.scenario)
            yield transcript
        if not self.is_one_by_one and answered:
            share = (perf_counter_ns() - call) // len(answered)
            self.nanoseconds.update(dict.fromkeys(answered, share))
        for scenario in lost:
            yield Transcript(scenario, (), self.lost[scenario])

    def inexpressible(self, scenario: Scenario) -> str | None:
        """As the adapter says."""
        return self.adapter.inexpressible(scenario)

    def close(self) -> None:
        """Close the engine."""
        self.adapter.close()

    def _taken(self, scenarios: Iterable[Scenario], lost: list[str]) -> Iterator[Scenario]:
        for scenario in scenarios:
            if scenario.id in self.lost:
                lost.append(scenario.id)
                continue
            self._began = perf_counter_ns()
            yield scenario
