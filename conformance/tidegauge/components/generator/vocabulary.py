"""Setup and steps of watermark generators and the strategies that build them."""

from ...base_scenario import BaseScenario
from ...vocabulary import Restore, Setup, Snapshot


class GeneratorSetup(Setup, frozen=True):
    """How it is built."""


GeneratorStep = Snapshot | Restore


class GeneratorScenario(BaseScenario, frozen=True, kw_only=True, tag_field="component", tag="generator"):
    """A history of steps on watermark generators and the strategies that build them."""

    setup: GeneratorSetup
    history: tuple[GeneratorStep, ...]
