"""Setup and steps of the low-watermark service."""

from ...base_scenario import BaseScenario
from ...vocabulary import Restore, Setup, Snapshot


class LowWatermarkSetup(Setup, frozen=True):
    """How it is built."""


LowWatermarkStep = Snapshot | Restore


class LowWatermarkScenario(
    BaseScenario, frozen=True, kw_only=True, tag_field="component", tag="low_watermark"
):
    """A history of steps on the low-watermark service."""

    setup: LowWatermarkSetup
    history: tuple[LowWatermarkStep, ...]
