"""The low-watermark service of tidegauge_spark as an engine in this process."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import singledispatch
from typing import Any

from msgspec.structs import asdict

from tidegauge.wire.steps.low_watermark import LowWatermarkSetup
from tidegauge_spark.decisions.low_watermark.service import (
    LowWatermark,
    LowWatermarkService,
    NotifyNewLowWatermark,
    ReplyLowWatermark,
    RetrieveLowWatermark,
    Vertex,
    VertexState,
)


@singledispatch
def _told(message: Any) -> tuple[Any, ...]:
    raise TypeError(f"not a message of the service: {message!r}")


@_told.register
def _(message: RetrieveLowWatermark) -> tuple[Any, ...]:
    return ("retrieve-low-watermark", message.timestamp, f"{message.vertex}/{message.task}")


@_told.register
def _(message: ReplyLowWatermark) -> tuple[Any, ...]:
    return ("reply-low-watermark", f"{message.vertex}/{message.task}", message.low_watermark)


@_told.register
def _(message: NotifyNewLowWatermark) -> tuple[Any, ...]:
    receiver = f"{message.vertex}/{message.task}"
    return ("notify-new-low-watermark", message.low_watermark, message.timestamp, receiver)


@_told.register
def _(message: LowWatermark) -> tuple[Any, ...]:
    return ("low-watermark", message.timestamp, f"downstream of {message.vertex}/{message.task}")


class LowWatermarkDecisions:
    """The library's service; its messages are told as the kit writes them.

    `service` is the library's class, or one derived from it.
    """

    def __init__(
        self, setup: LowWatermarkSetup, service: type[LowWatermarkService] = LowWatermarkService
    ) -> None:
        self._service = service(Vertex(**asdict(vertex)) for vertex in setup.vertices)

    def __getattr__(self, step: str) -> Any:
        taken = getattr(self._service, step)

        def told(*arguments: Any) -> list[tuple[Any, ...]]:
            messages: Iterable[Any] = taken(*arguments)
            return [_told(message) for message in messages]

        return told

    def snapshot(self) -> Mapping[str, VertexState]:
        """All that coordinators and tasks remember."""
        return self._service.state()

    def restore(self, saved: Mapping[str, VertexState]) -> None:
        """Go on from a snapshot."""
        self._service.restore(saved)
