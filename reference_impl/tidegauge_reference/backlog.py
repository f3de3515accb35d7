"""BACKLOG: whether a source is processing backlog, by the lag of its watermark. Times in ms."""

from .choices import before
from .citation import cite
from .errors import IllegalArgument
from .outputs import Output, watermark
from .policies import CORE, Policies
from .timestamps import MIN, end_of_input, no_watermark

OPTION = "pipeline.backlog.watermark-lag-threshold"


class Sender:
    """Sends record attributes downstream; all that it holds is its state."""

    def _send(self, *claims: bool | None) -> list[Output]:
        before = self.sent
        self.sent: bool | None = cite("BACKLOG-8", True in claims)
        return [] if cite("BACKLOG-9", self.sent == before) else [("record-attributes", self.sent)]

    def restore(self, saved: tuple[tuple[str, object], ...]) -> None:
        """Become the one that `saved` was taken from."""
        cite("BACKLOG-11")
        vars(self).update(saved)

    def state(self) -> tuple[tuple[str, object], ...]:
        """All of the state, hashable: equal states behave alike from here on."""
        return tuple(vars(self).items())

    snapshot = state


class LagDetector(Sender):
    """A source subtask; it starts with the first step that is not `configure`, at the time 0."""

    def __init__(self, policies: Policies = CORE) -> None:
        self.sent, self.threshold, self.now, self.lag_from = None, 0, 0, MIN  # a threshold of 0 is none
        self.started = self.is_idle = self.lag_claims = self.final = self.others = False
        self.one_way = policies.backlog_false_to_true == "after-idleness"

    def configure(self, option: str, milliseconds: int) -> None:
        """The job sets an option; a threshold not above 0 raises `IllegalArgument` (BACKLOG-2)."""
        if cite("BACKLOG-1", option == OPTION and not self.started):
            if cite("BACKLOG-2", milliseconds <= 0):
                raise IllegalArgument(f"{option} must be greater than 0, not {milliseconds} (BACKLOG-2)")
            self.threshold = milliseconds

    def clock(self, now: int) -> list[Output]:
        """The processing time is `now`."""
        self.started, self.now = True, now
        # Time alone evaluates nothing.
        cite("BACKLOG-5")
        return []

    def watermark(self, timestamp: int) -> list[Output]:
        """The subtask emits a watermark; `MAX` ends its input."""
        self.started = True
        if no_watermark(timestamp):
            return []
        if end_of_input(timestamp):
            return [watermark(timestamp)]
        self.lag_from = timestamp
        return before("BACKLOG-6", [watermark(timestamp)], self._evaluated())

    def idle(self) -> list[Output]:
        """The status of the subtask is idle."""
        self.started = self.is_idle = True
        return self._evaluated()

    def active(self) -> list[Output]:
        """The status of the subtask is active."""
        self.started = True
        was_idle, self.is_idle = self.is_idle, False
        if cite("BACKLOG-5", was_idle):
            return self._evaluated()
        return []

    def other(self, backlog: bool) -> list[Output]:
        """Whether another strategy claims backlog."""
        self.started, self.others = True, backlog
        return self._send(self.lag_claims, self.others)

    def _evaluated(self) -> list[Output]:
        """Compare the lag of the newest watermark with the threshold, if there is one."""
        if cite("BACKLOG-3", self.threshold == 0):
            return []
        judged = cite("BACKLOG-4", not no_watermark(self.lag_from)) and cite("BACKLOG-4", not self.is_idle)
        may_claim = judged and not cite("BACKLOG-7", self.final)
        self.lag_claims = may_claim and cite("BACKLOG-4", self.now - self.lag_from > self.threshold)
        # Under a policy, a subtask that has caught up once claims no backlog any more.
        if self.one_way and judged and not self.lag_claims:
            self.final = True
        return self._send(self.lag_claims, self.others)


class AttributesCombiner(Sender):
    """Combines `channels` inputs; those `without_strategy` are as good as having said false."""

    def __init__(self, channels: int, without_strategy: tuple[int, ...] = (), policies: Policies = CORE):
        if channels < 0 or not set(without_strategy) <= set(range(channels)):
            raise IllegalArgument(f"no {channels} channels, without strategy {without_strategy} (BACKLOG-2)")
        silent = without_strategy if policies.backlog_channels_without_strategy == "not-awaited" else ()
        self.sent, self.channels = None, tuple(False if n in silent else None for n in range(channels))

    def attributes(self, channel: int, backlog: bool) -> list[Output]:
        """Record attributes arrive; an unknown channel raises `IllegalArgument` (BACKLOG-2)."""
        if cite("BACKLOG-2", not 0 <= channel < len(self.channels)):
            raise IllegalArgument(f"channel {channel} of {len(self.channels)} does not exist (BACKLOG-2)")
        self.channels = (*self.channels[:channel], backlog, *self.channels[channel + 1 :])
        incomplete = True not in self.channels and cite("BACKLOG-10", None in self.channels)
        return [] if incomplete else self._send(*self.channels)
