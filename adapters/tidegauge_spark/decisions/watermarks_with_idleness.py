"""Idleness, in plain Python: a generator around another one, which says so when no records come."""

from __future__ import annotations

from collections.abc import Sequence

from tidegauge_spark.decisions.activity_clock import InputActivityClock
from tidegauge_spark.decisions.errors import IllegalArgumentError
from tidegauge_spark.decisions.watermark_generators import ACTIVE, IDLE, StreamElement, WatermarkGenerator


class WatermarksWithIdleness(WatermarkGenerator):
    """Says IDLE when its input has been quiet for longer than a timeout, and ACTIVE with the next record.

    The timeout is measured on the input activity clock, so that an input that is blocked does not become idle
    (IDLE-1). With a timeout T and probes each p, IDLE comes T to T + 3p after the last record.
    """

    def __init__(self, generator: WatermarkGenerator, timeout: int, clock: InputActivityClock) -> None:
        """Watch the input of this generator: idle after more than the timeout (ns) on its clock.

        Raises `IllegalArgumentError` for a timeout below 1 ns.
        """
        if timeout < 1:
            raise IllegalArgumentError(f"an idle timeout is at least 1 ns, not {timeout}")
        self._generator = generator
        self._timeout = timeout
        self._clock = clock
        self._record_arrived = False
        self._quiet_since: int | None = None
        self._idle = False

    @property
    def is_idle(self) -> bool:
        """Whether IDLE was said, and no record has come since."""
        return self._idle

    def on_event(self, timestamp: int) -> Sequence[StreamElement]:
        """A record ends idleness, whatever its timestamp (ms), before its generator speaks (IDLE-5)."""
        returned = (ACTIVE,) if self._idle else ()
        self._idle = False
        self._record_arrived = True
        return (*returned, *self._generator.on_event(timestamp))

    def on_periodic_emit(self) -> Sequence[StreamElement]:
        """A probe, then the tick of the generator, which is not asked while the input is idle (IDLE-4)."""
        if self._idle:
            return ()
        now = self._clock.read()
        if self._record_arrived:
            self._record_arrived = False
            self._quiet_since = None  # IDLE-3
        elif self._quiet_since is None:
            self._quiet_since = now  # IDLE-2; any reading may be the start, 0 too
        elif now - self._quiet_since > self._timeout:
            self._idle = True
            return (IDLE,)
        return self._generator.on_periodic_emit()

    def state(self) -> tuple[int, ...]:
        """Whether a record has arrived since the last probe, whether the input is idle, whether a countdown
        runs and the reading (ns) at which it started; then what the generator remembers (IDLE-7)."""
        counting = self._quiet_since is not None
        own = (self._record_arrived, self._idle, counting, self._quiet_since or 0)
        return (*map(int, own), *self._generator.state())

    def restore(self, state: Sequence[int]) -> None:
        """Go on where the input stood, given a clock that reads what it read then (IDLE-7)."""
        arrived, idle, counting, since, *inner = state
        self._record_arrived = bool(arrived)
        self._idle = bool(idle)
        self._quiet_since = since if counting else None
        self._generator.restore(inner)

    @property
    def name(self) -> str:
        """With the name of the generator inside."""
        return f"{super().name}({self._generator.name})"
