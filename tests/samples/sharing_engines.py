"""Engines whose instances share state, as their authors do it without noticing, and engines that only look so.

Each one alone, in a process of its own, keeps all rules.
"""

from __future__ import annotations

import random
from typing import Any, ClassVar

from tidegauge import ComponentAdapter
from tidegauge.wire.steps.valve import ValveSetup
from tidegauge.wire.steps.window import WindowSetup
from tidegauge_reference import CORE, Valve, windows
from tidegauge_reference.outputs import Output
from tidegauge_reference.valve import Channel


class ValveOnTheClass(Valve):
    """Keeps its channels on the class. The constructor resets them, so that valves one after the other agree."""

    def __init__(self, channels: int) -> None:
        super().__init__(channels, CORE)
        type(self).channels = self.__dict__.pop("channels")

    def restore(self, saved: Any) -> None:
        """Become another valve; this one keeps its state on the class, too."""
        super().restore(saved)
        type(self).channels = self.__dict__.pop("channels")


class ValveWithDefaultArgument(Valve):
    """Keeps what it knows of a channel in a mutable default argument, which nothing ever empties."""

    def __init__(self, channels: int, known: dict[int, Channel] = {}) -> None:  # noqa: B006
        super().__init__(channels, CORE)
        self.channels = [known.setdefault(number, channel) for number, channel in enumerate(self.channels)]


class WindowsOnTheClass(windows.Windows):
    """Keeps its open windows on the class. The constructor resets them."""

    def __post_init__(self) -> None:
        super().__post_init__()
        type(self).windows = self.__dict__.pop("windows")

    def restore(self, saved: Any) -> None:
        """Become another operator; this one keeps its state on the class, too."""
        super().restore(saved)
        type(self).windows = self.__dict__.pop("windows")


class WindowsInOneDictionary(windows.Windows):
    """Keeps its open windows in a dictionary of the class, which nothing ever empties."""

    open_windows: ClassVar[dict[Any, Any]] = {}

    def __post_init__(self) -> None:
        super().__post_init__()
        self.windows = self.open_windows


class RandomValve(Valve):
    """Forgets a watermark now and then. Nothing is shared."""

    def watermark(self, channel: int, timestamp: int) -> list[Output]:
        """The valve's answer, or nothing."""
        outputs = super().watermark(channel, timestamp)
        return outputs if random.random() < 0.9 else []


class _OfValves(ComponentAdapter):
    extras = ("snapshot", "int64")
    make: ClassVar[type[Any]]

    def valve(self, setup: ValveSetup) -> Any:
        """The valve under test."""
        return self.make(setup.channels)


class _OfWindows(ComponentAdapter):
    extras = ("snapshot", "int64")
    make: ClassVar[type[Any]]

    def window(self, setup: WindowSetup) -> Any:
        """The window operator under test."""
        kind = setup.assigner
        assigner: Any
        if hasattr(kind, "gap"):
            assigner = windows.Session(kind.gap)
        else:
            assigner = windows.Sliding(kind.size, getattr(kind, "slide", kind.size), kind.offset)
        return self.make(
            assigner, setup.allowed_lateness, setup.trigger, setup.accumulation, setup.late_output, CORE
        )


class ValvesOnTheClass(_OfValves):
    """Only interleaving shows it."""

    make = ValveOnTheClass


class ValvesWithDefaultArgument(_OfValves):
    """Each scenario finds what earlier ones left."""

    make = ValveWithDefaultArgument


class OperatorsOnTheClass(_OfWindows):
    """Only interleaving shows it."""

    make = WindowsOnTheClass


class OperatorsInOneDictionary(_OfWindows):
    """Each scenario finds what earlier ones left."""

    make = WindowsInOneDictionary


class RandomValves(_OfValves):
    """Not deterministic, and nothing else."""

    make = RandomValve
