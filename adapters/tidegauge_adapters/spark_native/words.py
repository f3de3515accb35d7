"""What a history must not hold to be put to Spark's own event time."""

from tidegauge.wire.scenario import Scenario
from tidegauge.wire.steps.splits import OperatorInputsSetup, SplitsScenario
from tidegauge.wire.steps.valve import ValveScenario
from tidegauge.wire.steps.window import RecordStep, Sliding, WatermarkStep, WindowScenario

_MOST_STEPS = 150
_MOST_INPUTS = 40


def inexpressible(scenario: Scenario) -> str | None:
    """What Spark has no word for, or takes many minutes for; None if it has one for everything."""
    if len(scenario.history) > _MOST_STEPS:
        return f"a history of more than {_MOST_STEPS} steps, which are a micro-batch each"
    if isinstance(scenario, ValveScenario) and scenario.setup.channels > _MOST_INPUTS:
        return f"a query with more than {_MOST_INPUTS} inputs"
    if isinstance(scenario, WindowScenario):
        return _of_windows(scenario)
    if isinstance(scenario, ValveScenario):
        channels = (getattr(step, "channel", 0) for step in scenario.history)
        unknown = any(not 0 <= channel < scenario.setup.channels for channel in channels)
        return "an input that the query does not have" if unknown else None
    if isinstance(scenario, SplitsScenario) and isinstance(scenario.setup, OperatorInputsSetup):
        return "the inputs of an operator (they are under test as a valve)"
    return None


def _of_windows(scenario: WindowScenario) -> str | None:
    """With no lateness and the trigger of event time a window fires once, so that all modes of accumulation
    are one."""
    setup = scenario.setup
    if setup.allowed_lateness:
        return "allowed lateness"
    if setup.trigger == "per-record":
        return "a trigger other than event time"
    if isinstance(setup.assigner, Sliding) and setup.assigner.slide > setup.assigner.size:
        return "windows with gaps between them"
    steps = (step for step in scenario.history if isinstance(step, RecordStep | WatermarkStep))
    if any(step.timestamp == "MAX" for step in steps):
        return "the end of a stream"
    return None
