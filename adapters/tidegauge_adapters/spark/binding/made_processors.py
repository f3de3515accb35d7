"""The processors that scenarios ask for: one for each different setup, made in the driver and pickled."""

import pickle
from collections.abc import Sequence

from pyspark import cloudpickle
from pyspark.sql.streaming.stateful_processor import StatefulProcessor

from tidegauge import Failure, Transcript
from tidegauge.engine.errors import failure_of
from tidegauge.engine.interruption import from_outside
from tidegauge.wire.scenario import Scenario
from tidegauge.wire.vocabulary import Setup

from .processor_binding import ProcessorBinding
from .processor_tester import ProcessorTester


def pickled(processor: StatefulProcessor) -> bytes:
    """A processor as Spark ships it to workers; classes that are in no module go with it."""
    shipped: bytes = cloudpickle.dumps(processor)  # type: ignore[no-untyped-call]
    return shipped


class MadeProcessors:
    """The processors for the setups of `scenarios`, numbered from 0.

    processors, pickled: those that could be made, and as Spark ships them. scenarios: theirs. failures: the
    transcripts of the others, those among them whose `init` raises: in a query it would end all scenarios,
    again and again.
    """

    def __init__(self, binding: ProcessorBinding, scenarios: Sequence[Scenario]) -> None:
        self.processors: list[StatefulProcessor] = []
        self.pickled: list[bytes] = []
        self.scenarios: list[Scenario] = []
        self.failures: list[Transcript] = []
        self._numbers: dict[Setup, int | Failure] = {}
        for scenario in scenarios:
            if scenario.setup not in self._numbers:
                self._numbers[scenario.setup] = self._make(binding, scenario.setup)
            number = self._numbers[scenario.setup]
            if isinstance(number, Failure):
                self.failures.append(Transcript(scenario.id, (), number))
            else:
                self.scenarios.append(scenario)

    def number(self, scenario: Scenario) -> int:
        """That of the processor of one of `scenarios`."""
        number = self._numbers[scenario.setup]
        assert isinstance(number, int)
        return number

    def _make(self, binding: ProcessorBinding, setup: Setup) -> int | Failure:
        try:
            processor = binding.make(setup)
            shipped = pickled(processor)
            ProcessorTester(pickle.loads(shipped))
        except BaseException as error:
            if from_outside(error):
                raise
            return failure_of(error)
        self.pickled.append(shipped)
        self.processors.append(processor)
        return len(self.processors) - 1
