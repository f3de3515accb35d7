"""A valve that keeps all that it heard, and derives from that, at every step, what is so now."""

from __future__ import annotations

from typing import Any, NamedTuple

MIN, MAX = -(2**63), 2**63 - 1


class Heard(NamedTuple):
    """One step on a channel: a watermark with its timestamp (ms), or a status; and the output watermark then."""

    kind: str
    output: int
    timestamp: int = MIN


class Channel(NamedTuple):
    """What follows from the history of a channel."""

    watermark: int
    active: bool
    aligned: bool

    @property
    def finished(self) -> bool:
        """Whether it has delivered the end of its input."""
        return self.watermark == MAX


def derived(history: list[Heard]) -> Channel:
    """The channel by definition: its history has spans of activity, the last of which may be over."""
    spans: list[list[Heard]] = [[]]
    active, promised = True, MIN
    for entry in history:
        if promised == MAX:
            break
        if entry.kind == "active" and not active:
            spans.append([])
        if entry.kind != "watermark":
            active = entry.kind == "active"
        if active:
            spans[-1].append(entry)
            promised = max(promised, entry.timestamp)
    largest = max((entry.timestamp for span in spans[:-1] for entry in span), default=MIN)
    aligned = len(spans) == 1
    for entry in spans[-1]:
        largest = max(largest, entry.timestamp)
        aligned = aligned or largest >= entry.output
    return Channel(promised, active, active and aligned)


class HistoryValve:
    """Its only memory are the histories of its channels and the list of what it has said."""

    def __init__(self, channels: int) -> None:
        self._histories: list[list[Heard]] = [[] for _ in range(channels)]
        self._said: list[tuple[Any, ...]] = []

    def watermark(self, channel: int, timestamp: int) -> list[tuple[Any, ...]]:
        """A watermark (ms) arrives."""
        return self._hear(channel, Heard("watermark", self._output(), timestamp))

    def idle(self, channel: int) -> list[tuple[Any, ...]]:
        """The channel has no data for now."""
        return self._hear(channel, Heard("idle", self._output()))

    def active(self, channel: int) -> list[tuple[Any, ...]]:
        """The channel has data again."""
        return self._hear(channel, Heard("active", self._output()))

    def _hear(self, channel: int, entry: Heard) -> list[tuple[Any, ...]]:
        if channel not in range(len(self._histories)):
            raise ValueError(f"channel {channel} of {len(self._histories)}")
        self._histories[channel].append(entry)
        saying = self._due()
        self._said += saying
        return saying

    def _output(self) -> int:
        return max((said[1] for said in self._said if said[0] == "watermark"), default=MIN)

    def _idle(self) -> bool:
        statuses = [said[0] for said in self._said if said[0] != "watermark"]
        return statuses[-1:] == ["idle"]

    def _due(self) -> list[tuple[Any, ...]]:
        """What has to be said so that downstream knows what is so now."""
        unfinished = [channel for channel in map(derived, self._histories) if not channel.finished]
        aligned = [channel.watermark for channel in unfinished if channel.aligned]
        all_idle = bool(unfinished) and not any(channel.active for channel in unfinished)
        if not unfinished:
            complete = MAX
        elif all_idle:
            complete = max(channel.watermark for channel in unfinished)
        else:
            complete = min(aligned, default=MIN)
        saying: list[tuple[Any, ...]] = []
        if self._idle() and not all_idle:
            saying.append(("active",))
        if complete > self._output():
            saying.append(("watermark", complete))
        if all_idle and not self._idle():
            saying.append(("idle",))
        return saying

    def snapshot(self) -> Any:
        """The histories and what was said."""
        return self._histories, self._said

    def restore(self, saved: Any) -> None:
        """Go on from there."""
        self._histories, self._said = saved
