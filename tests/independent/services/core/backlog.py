from .base import MAX, MIN, IllegalArgument, Stateful

OPTION = "pipeline.backlog.watermark-lag-threshold"


class Detector(Stateful):
    def __init__(self):
        self.threshold = None
        self.started = False
        self.now = 0
        self.last = None  # last watermark below MAX
        self.is_idle = False
        self.lag_claim = False
        self.caught_up = False
        self.other_claim = False
        self.sent = None

    # steps
    def configure(self, option, milliseconds):
        if not self.started and option == OPTION:
            if milliseconds <= 0:
                raise IllegalArgument("threshold must be positive")
            self.threshold = milliseconds
        return []

    def clock(self, now):
        self.started = True
        self.now = now
        return []

    def watermark(self, timestamp):
        self.started = True
        if timestamp == MIN:
            return []
        out = [("watermark", timestamp)]
        if timestamp != MAX:
            self.last = timestamp
            out += self.evaluate()
        return out

    def idle(self):
        return self.status(True)

    def active(self):
        return self.status(False)

    def status(self, idle):
        self.started = True
        if idle == self.is_idle:
            return []
        self.is_idle = idle
        return self.evaluate()

    def other(self, backlog):
        self.started = True
        self.other_claim = backlog
        return self.send()

    # inner
    def lag(self):
        return None if self.last is None else self.now - self.last

    def behind(self, lag):
        return lag > self.threshold

    def evaluate(self):
        if self.threshold is None:
            return []
        lag = self.lag()
        self.lag_claim = False
        if not self.caught_up and not self.is_idle and lag is not None:
            self.lag_claim = self.behind(lag)
            self.caught_up = not self.lag_claim
        return self.send()

    def flag(self):
        return self.lag_claim or self.other_claim

    def send(self):
        flag = self.flag()
        if flag == self.sent:
            return []
        self.sent = flag
        return [("record-attributes", flag)]


class Combiner(Stateful):
    FIXED = ("channels", "without")

    def __init__(self, channels, without_strategy=()):
        self.channels = channels
        self.without = frozenset(without_strategy)
        self.claims = {}
        self.sent = None

    def attributes(self, channel, backlog):
        if not 0 <= channel < self.channels:
            raise IllegalArgument(f"no channel {channel}")
        self.claims[channel] = backlog
        return self.send()

    def complete(self):
        return all(c in self.claims or c in self.without for c in range(self.channels))

    def flag(self):
        """True, False, or None: not known."""
        if any(self.claims.values()):
            return True
        return False if self.complete() else None

    def send(self):
        flag = self.flag()
        if flag is None or flag == self.sent:
            return []
        self.sent = flag
        return [("record-attributes", flag)]
