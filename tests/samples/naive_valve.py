"""A valve as a newcomer writes it, and its adapter: each watermark goes out as it comes."""

from __future__ import annotations

from typing import Any

from tidegauge import ComponentAdapter


class MyValve:
    """It combines nothing and remembers nothing."""

    def __init__(self, channels: int) -> None: ...

    def watermark(self, channel: int, timestamp: int) -> list[tuple[Any, ...]]:
        """The watermark, at once."""
        return [("watermark", timestamp)]

    def idle(self, channel: int) -> list[tuple[Any, ...]]:
        """IDLE, whatever the other channels."""
        return [("idle",)]

    def active(self, channel: int) -> list[tuple[Any, ...]]:
        """Nothing."""
        return []


class MyAdapter(ComponentAdapter):
    """The adapter of the naive valve."""

    name = "my engine"

    def valve(self, setup: Any) -> MyValve:
        """A valve with so many channels."""
        return MyValve(setup.channels)
