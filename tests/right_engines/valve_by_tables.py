"""A valve as decision tables over immutable states: a step makes a new state, and what differs is said."""

from __future__ import annotations

from typing import Any, NamedTuple

MIN, MAX = -(2**63), 2**63 - 1

ALIGNED, LAGGING, IDLE, FINISHED = "ALIF"

NEXT_ROLE = {
    (ALIGNED, "level"): ALIGNED,
    (LAGGING, "level"): ALIGNED,
    (LAGGING, "behind"): LAGGING,
    (ALIGNED, "end"): FINISHED,
    (LAGGING, "end"): FINISHED,
    (ALIGNED, "idle"): IDLE,
    (LAGGING, "idle"): IDLE,
    (IDLE, "back-level"): ALIGNED,
    (IDLE, "back-behind"): LAGGING,
}
"""The role of a channel after an event. What is not in the table has no effect."""


class State(NamedTuple):
    """A row of watermarks (ms) and a row of roles, one letter a channel."""

    watermarks: tuple[int, ...]
    roles: str
    output: int
    idle: bool


def heard(state: State, channel: int, event: str, timestamp: int | None = None) -> State:
    """The state after an event on a channel, which brings a watermark or none."""
    role = NEXT_ROLE.get((state.roles[channel], event))
    if role is None:
        return state
    watermarks, roles = state.watermarks, f"{state.roles[:channel]}{role}{state.roles[channel + 1 :]}"
    if timestamp is not None:
        watermarks = (*watermarks[:channel], timestamp, *watermarks[channel + 1 :])
    return State(watermarks, roles, max(state.output, _complete(watermarks, roles)), _all_idle(roles))


def _all_idle(roles: str) -> bool:
    return set(roles) - {FINISHED} == {IDLE}


def _complete(watermarks: tuple[int, ...], roles: str) -> int:
    """Up to where all is complete by these roles; `MIN` where nothing can be said."""

    def having(role: str) -> list[int]:
        return [watermark for watermark, one in zip(watermarks, roles, strict=True) if one == role]

    match "".join(sorted(set(roles) - {FINISHED})):
        case "":
            return MAX
        case "I":
            return max(having(IDLE))
        case present if ALIGNED in present:
            return min(having(ALIGNED))
    return MIN


def difference(before: State, after: State) -> list[tuple[Any, ...]]:
    """What downstream has to be told: that time goes on again, the time, that it stands."""
    news: list[tuple[Any, ...]] = []
    if before.idle and not after.idle:
        news.append(("active",))
    if after.output > before.output:
        news.append(("watermark", after.output))
    if after.idle and not before.idle:
        news.append(("idle",))
    return news


class TableValve:
    """Holds the current state; all decisions are in the functions above."""

    def __init__(self, channels: int) -> None:
        self._state = State((MIN,) * channels, ALIGNED * channels, MIN, False)

    def watermark(self, channel: int, timestamp: int) -> list[tuple[Any, ...]]:
        """A watermark (ms) arrives."""
        if timestamp <= self._watermark(channel):
            return []
        event = "end" if timestamp == MAX else "level" if timestamp >= self._state.output else "behind"
        return self._step(channel, event, timestamp)

    def idle(self, channel: int) -> list[tuple[Any, ...]]:
        """The channel has no data for now."""
        self._watermark(channel)
        return self._step(channel, "idle")

    def active(self, channel: int) -> list[tuple[Any, ...]]:
        """The channel has data again."""
        level = self._watermark(channel) >= self._state.output
        return self._step(channel, "back-level" if level else "back-behind")

    def _watermark(self, channel: int) -> int:
        if not 0 <= channel < len(self._state.roles):
            raise ValueError(f"there is no channel {channel}")
        return self._state.watermarks[channel]

    def _step(self, channel: int, event: str, timestamp: int | None = None) -> list[tuple[Any, ...]]:
        before, self._state = self._state, heard(self._state, channel, event, timestamp)
        return difference(before, self._state)

    def snapshot(self) -> Any:
        """The state is immutable, and all there is."""
        return tuple(self._state)

    def restore(self, saved: Any) -> None:
        """Go on from there."""
        self._state = State(*saved)
