"""Conforming engines for valve, splits, clock, idleness and generator, written from the chapters alone."""

import copy

from tidegauge import ComponentAdapter, IllegalArgument, IllegalState
from tidegauge.wire.steps.splits import SplitOutputsSetup

MIN, MAX = -(2**63), 2**63 - 1
MS = 1_000_000  # ns


def clamp(number):
    return max(MIN, min(MAX, number))


class Saved:
    """Snapshots: everything that the engine knows, copied; `state` may leave out or change things."""

    def snapshot(self):
        return copy.deepcopy(self.state())

    def state(self):
        return dict(self.__dict__)

    def restore(self, saved):
        self.__dict__.update(copy.deepcopy(saved))
        return []


# ------------------------------------------------------------------ valve


class Valve(Saved):
    def __init__(self, channels):
        self.n = channels
        self.wm = [MIN] * channels
        self.idles = [False] * channels
        self.aligned = [True] * channels
        self.out = MIN
        self.out_idle = False

    # -- steps
    def watermark(self, channel, timestamp):
        self.check(channel)
        if not self.accept(channel, timestamp):
            return []
        self.store(channel, timestamp)
        if all(self.finished(c) for c in range(self.n)):
            return self.send(MAX)
        if self.finished(channel) and not self.working():
            return self.become_idle()
        return self.send(self.minimum())

    def idle(self, channel):
        self.check(channel)
        if self.finished(channel) or self.idles[channel]:
            return []
        self.idles[channel] = True
        self.leave(channel)
        return self.send(self.minimum()) if self.working() else self.become_idle()

    def active(self, channel):
        self.check(channel)
        if self.finished(channel) or not self.idles[channel]:
            return []
        self.idles[channel] = False
        outputs = self.wake()
        if not self.returns_aligned(channel):
            return outputs
        self.join(channel)
        return outputs + self.send(self.minimum())

    # -- parts
    def check(self, channel):
        if not 0 <= channel < self.n:
            raise IllegalArgument(f"no channel {channel}")

    def store(self, channel, timestamp):
        self.wm[channel] = timestamp
        if not self.aligned[channel] and self.caught_up(channel):
            self.join(channel)

    def join(self, channel):
        self.aligned[channel] = True

    def leave(self, channel):
        self.aligned[channel] = False

    def accept(self, channel, timestamp):
        return not self.idles[channel] and timestamp > self.wm[channel]

    def caught_up(self, channel):
        return self.wm[channel] >= self.out

    def returns_aligned(self, channel):
        return self.wm[channel] >= self.out

    def finished(self, channel):
        return self.wm[channel] == MAX

    def working(self):
        """The unfinished channels that are active."""
        return [c for c in range(self.n) if not self.idles[c] and not self.finished(c)]

    def minimum(self):
        return min((self.wm[c] for c in range(self.n) if self.aligned[c] and not self.finished(c)), default=None)

    def largest(self):
        return max((self.wm[c] for c in range(self.n) if not self.finished(c)), default=None)

    def send(self, timestamp):
        if timestamp is None or timestamp <= self.out:
            return []
        self.out = timestamp
        return [("watermark", timestamp)]

    def become_idle(self):
        outputs = self.send(self.largest())
        if not self.out_idle:
            self.out_idle = True
            outputs.append(("idle",))
        return outputs

    def wake(self):
        if not self.out_idle:
            return []
        self.out_idle = False
        return [("active",)]


# ----------------------------------------------------------------- splits


class Combination(Saved):
    """The parts of a subtask or operator: name -> [watermark, idle]."""

    def __init__(self, names=()):
        self.parts = {name: [MIN, False] for name in names}
        self.out = MIN
        self.out_idle = False

    def part(self, name):
        if name not in self.parts:
            raise IllegalArgument(f"unknown part {name!r}")
        return self.parts[name]

    def on_watermark(self, name, timestamp, deferred):
        part = self.part(name)
        was_idle, rises = part[1], timestamp > part[0]
        part[1] = False
        if rises:
            part[0] = timestamp
        if deferred or not self.is_update(was_idle, rises, timestamp):
            return []
        return self.update()

    def is_update(self, was_idle, rises, timestamp):
        return was_idle or (rises and timestamp > self.out)

    def on_status(self, name, idle, deferred):
        self.part(name)[1] = idle
        return [] if deferred else self.update()

    # -- the update
    def update(self):
        if not self.parts:
            return self.say_idle()
        counted = self.counted()
        if not counted:
            return self.say_active() + self.send(MAX)
        working = [w for w, idle in counted if not idle]
        if working:
            return self.say_active() + self.send(self.smallest(working))
        return self.flush(counted) + self.say_idle()

    def counted(self):
        return [part for part in self.parts.values() if part[0] != MAX]

    def smallest(self, watermarks):
        return min(watermarks)

    def flush(self, counted):
        largest = max(w for w, _ in counted)
        return self.say_active() + self.send(largest) if largest > self.out else []

    def send(self, timestamp):
        if timestamp <= self.out:
            return []
        self.out = timestamp
        return [("watermark", timestamp)]

    def say_idle(self):
        if self.out_idle:
            return []
        self.out_idle = True
        return [("idle",)]

    def say_active(self):
        if not self.out_idle:
            return []
        self.out_idle = False
        return [("active",)]


class SplitOutputs(Combination):
    def add_split(self, split):
        if split in self.parts:
            raise IllegalState(f"split {split!r} is there already")
        self.parts[split] = [MIN, False]
        return []

    def remove_split(self, split):
        self.parts.pop(split, None)
        return []

    def watermark(self, split, timestamp, deferred):
        return self.on_watermark(split, timestamp, deferred)

    def idle(self, split, deferred):
        return self.on_status(split, True, deferred)

    def active(self, split, deferred):
        return self.on_status(split, False, deferred)

    def tick(self):
        return self.update()


class OperatorInputs(Combination):
    def __init__(self, inputs):
        super().__init__(range(inputs))

    def input_watermark(self, input, timestamp):
        return self.on_watermark(input, timestamp, False)

    def input_idle(self, input):
        return self.on_status(input, True, False)

    def input_active(self, input):
        return self.on_status(input, False, False)


# ------------------------------------------------------------------ clock


class Clock(Saved):
    HARMLESS = ("no-data",)  # reasons that do not stop the clock

    def __init__(self, nanoseconds):
        self.now = nanoseconds
        self.pauses = {}

    def advance(self, nanoseconds):
        if nanoseconds < 0:
            raise IllegalArgument("time does not go back")
        if not self.blocked():
            self.now += nanoseconds
        return []

    def blocked(self):
        return any(n for reason, n in self.pauses.items() if reason not in self.HARMLESS)

    def pause(self, reason):
        self.pauses[reason] = self.pauses.get(reason, 0) + 1
        return []

    def resume(self, reason):
        if not self.pauses.get(reason):
            raise IllegalState(f"no pause for {reason}")
        self.pauses[reason] -= 1
        return []

    def read(self):
        return [("reading", self.now)]


# ------------------------------------------- the generators themselves


class Bounded(Saved):
    def __init__(self, bound):
        self.bound, self.top = bound, MIN

    def on_record(self, timestamp, now):
        self.top = max(self.top, timestamp)
        return []

    def on_tick(self, now):
        """`now`: ns of the activity clock (idleness), ms of processing time (generator)."""
        return [("watermark", clamp(self.top - self.bound - 1))]


class Punctuated(Saved):
    def on_record(self, timestamp, now):
        return [("watermark", timestamp)]

    def on_tick(self, now):
        return []


class Silent(Punctuated):
    def on_record(self, timestamp, now):
        return []


class AfterSilence(Saved):
    """A generator of a user: it emits the largest timestamp after a silence."""

    def __init__(self, silence_ns, now):
        self.silence, self.top, self.last = silence_ns, MIN, now

    def on_record(self, timestamp, now):
        self.top, self.last = max(self.top, timestamp), now
        return []

    def on_tick(self, now):
        return [("watermark", self.top)] if now - self.last > self.silence else []


class ProcessingTime(Silent):
    def on_tick(self, now):
        return [("watermark", clamp(now - 1))]


# --------------------------------------------------------------- idleness


class Probe(Saved):
    """The countdown around a generator, in whatever unit the readings and the timeout have."""

    def __init__(self, inner, timeout):
        self.inner, self.timeout = inner, timeout
        self.seen, self.start, self.is_idle = False, None, False

    def on_record(self, timestamp, now):
        outputs = [("active",)] if self.is_idle else []
        self.seen, self.is_idle = True, False
        return outputs + self.inner.on_record(timestamp, now)

    def on_tick(self, now):
        if self.is_idle:
            return []
        if self.probe(now):
            self.is_idle = True
            return [("idle",)]
        return self.inner.on_tick(now)

    def probe(self, now):
        """Whether the input becomes idle."""
        if self.seen:
            self.seen, self.start = False, None
        elif self.start is None:
            self.start = now
        else:
            return self.over(now)
        return False

    def over(self, now):
        return now - self.start > self.timeout


class Idleness(Saved):
    PROBE, CLOCK, BOUNDED = Probe, Clock, Bounded

    def __init__(self, generator, timeout, max_out_of_orderness, nanoseconds):
        self.clock = self.CLOCK(nanoseconds)
        self.probe = self.PROBE(self.make(generator, max_out_of_orderness, nanoseconds), timeout)

    def make(self, generator, bound, now):
        if generator == "bounded-out-of-orderness":
            return self.BOUNDED(bound)
        if generator == "punctuated":
            return Punctuated()
        if generator == "after-silence":
            return AfterSilence(bound * MS, now)
        return Silent()

    def record(self, timestamp):
        return self.probe.on_record(timestamp, self.clock.now)

    def tick(self):
        return self.probe.on_tick(self.clock.now)

    def advance(self, nanoseconds):
        return self.clock.advance(nanoseconds)

    def pause(self, reason):
        return self.clock.pause(reason)

    def resume(self, reason):
        return self.clock.resume(reason)


# -------------------------------------------------------------- generator


def duration(value, least=0):
    if value is None or not least <= value <= MAX:
        raise IllegalArgument(f"not a duration: {value}")
    return value


def present(value):
    if value is None:
        raise IllegalArgument("missing")
    return value


class Generator(Saved):
    PROBE, BOUNDED, PROCESSING_TIME = Probe, Bounded, ProcessingTime

    def __init__(self, place, kind, max_out_of_orderness, assigner, idle_timeout, processing_time):
        self.place, self.now = place, processing_time
        self.strategy = self.fresh(kind, max_out_of_orderness) | {"assigner": assigner, "timeout": idle_timeout}
        self.start()

    @staticmethod
    def fresh(kind, bound=0):
        """A strategy; a dict that is never changed."""
        return {"kind": kind, "bound": bound, "assigner": "record-time", "timeout": None, "alignment": None}

    # -- the running input
    def start(self):
        self.running = self.strategy
        self.generator = self.create(self.running)
        self.out, self.out_idle = MIN, False
        return []

    def create(self, strategy):
        makers = {"bounded-out-of-orderness": lambda: self.BOUNDED(strategy["bound"]), "punctuated": Punctuated,
                  "processing-time": self.PROCESSING_TIME, "no-watermarks": Silent}
        inner = makers[strategy["kind"]]()
        return inner if strategy["timeout"] is None else self.PROBE(inner, strategy["timeout"])

    def record(self, timestamp):
        stamp = self.assign(timestamp)
        made = self.generator.on_record(stamp, self.now)
        before = [o for o in made if o[0] == "active"]
        after = [o for o in made if o[0] != "active"]
        return self.emit(before) + [("record", stamp)] + self.emit(after)

    def assign(self, timestamp):
        return self.now if self.running["assigner"] == "ingestion-time" else timestamp

    def tick(self):
        return self.emit(self.generator.on_tick(self.now))

    def finish(self):
        return self.tick()

    def advance(self, milliseconds):
        if milliseconds < 0:
            raise IllegalArgument("time does not go back")
        self.now += milliseconds
        return []

    def watermark(self, timestamp):
        return self.emit([("watermark", MAX)]) if timestamp == MAX else []

    def idle(self):
        return []

    def active(self):
        return []

    # -- the output
    def emit(self, made):
        if self.place == "source":
            return made
        return [output for item in made for output in self.filtered(item)]

    def filtered(self, item):
        if item[0] == "idle":
            went, self.out_idle = self.out_idle, True
            return [] if went else [item]
        outputs = [("active",)] if self.out_idle else []
        self.out_idle = False
        if item[0] == "watermark" and item[1] > self.out:
            self.out = item[1]
            outputs.append(item)
        return outputs

    # -- the builder
    def no_watermarks(self):
        return self.build(self.fresh("no-watermarks"))

    def for_monotonous_timestamps(self):
        return self.build(self.fresh("bounded-out-of-orderness"))

    def for_bounded_out_of_orderness(self, max_out_of_orderness):
        return self.build(self.fresh("bounded-out-of-orderness", duration(max_out_of_orderness)))

    def for_generator(self, supplier):
        return self.build(self.fresh(present(supplier)))

    def with_timestamp_assigner(self, assigner):
        return self.build(self.strategy | {"assigner": present(assigner)})

    def with_idleness(self, timeout):
        return self.build(self.strategy | {"timeout": duration(timeout, 1)})

    def with_watermark_alignment(self, watermark_group, max_allowed_watermark_drift, update_interval):
        interval = 1000 if update_interval is None else duration(update_interval, 1)
        alignment = (present(watermark_group), duration(max_allowed_watermark_drift), interval)
        return self.build(self.strategy | {"alignment": alignment})

    def build(self, strategy):
        self.strategy = strategy
        return []

    def alignment(self):
        aligned = self.strategy["alignment"]
        return [("alignment", *aligned)] if aligned else []


# ---------------------------------------------------------------- adapter


class Good(ComponentAdapter):
    """All five; a subclass names other engines in VALVE, SPLITS and so on."""

    name, version = "w1 good", "1"
    extras = ("snapshot", "int64")
    VALVE, SPLITS, INPUTS, CLOCK, IDLENESS, GENERATOR = Valve, SplitOutputs, OperatorInputs, Clock, Idleness, Generator

    def valve(self, setup):
        return self.VALVE(setup.channels)

    def splits(self, setup):
        return self.SPLITS() if isinstance(setup, SplitOutputsSetup) else self.INPUTS(setup.inputs)

    def clock(self, setup):
        return self.CLOCK(setup.nanoseconds)

    def idleness(self, setup):
        return self.IDLENESS(setup.generator, setup.timeout, setup.max_out_of_orderness, setup.nanoseconds)

    def generator(self, setup):
        return self.GENERATOR(setup.place, setup.kind, setup.max_out_of_orderness, setup.assigner,
                              setup.idle_timeout, setup.processing_time)
