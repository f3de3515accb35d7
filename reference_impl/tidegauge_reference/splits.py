"""SPLIT: the watermarks of several splits, or of an operator's inputs, as one."""

from dataclasses import dataclass, replace
from typing import Any

from .choices import smallest
from .citation import cite
from .errors import IllegalArgument, IllegalState
from .outputs import ACTIVE, IDLE, Output, watermark
from .policies import CORE, Policies
from .timestamps import MAX, MIN


@dataclass(slots=True)
class Part:
    """One split or input: the largest watermark it delivered (ms), and whether it is idle."""

    watermark: int = MIN
    idle: bool = False


@dataclass(slots=True)
class Emitter:
    """An output that writers share: its watermark (`maximum`, ms) only rises, its status only changes."""

    policies: Policies = CORE
    maximum: int = MIN
    is_idle: bool = False

    def watermark(self, timestamp: int) -> list[Output]:
        """A writer has data up to `timestamp` (ms)."""
        if cite("SPLIT-2", timestamp <= self.maximum):
            return self.active() if self.policies.split_resumption == "any-watermark" else []
        self.maximum = timestamp
        return [*self.active(), watermark(timestamp)]

    def idle(self) -> list[Output]:
        """No writer has data for now."""
        was_idle, self.is_idle = self.is_idle, True
        return [IDLE] if cite("SPLIT-6", not was_idle) else []

    def active(self) -> list[Output]:
        """A writer has data again."""
        was_idle, self.is_idle = self.is_idle, False
        return [ACTIVE] if cite("SPLIT-8", was_idle) else []

    def send(self, outputs: list[Output]) -> list[Output]:
        """The watermarks and statuses of one writer."""
        return [sent for name, *fields in outputs for sent in getattr(self, name)(*fields)]


class Combined:
    """The minimum over the parts that are not idle, the maximum when all are. Unknown parts raise
    `IllegalArgument` (SPLIT-12); a `deferred` change waits for the next immediate one (SPLIT-10)."""

    def __init__(self, policies: Policies = CORE) -> None:
        self.policies = policies
        self.parts: dict[str | int, Part] = {}
        self.output = Emitter(policies)
        self.silent_resumption = self.rising_resumption = False

    def watermark(self, name: str | int, timestamp: int, deferred: bool = False) -> list[Output]:
        """The part promises that everything up to `timestamp` (ms) has arrived; `MAX` ends it."""
        part = self._part(name)
        was_idle, part.idle = part.idle, False
        if self.silent_resumption:
            self.output.is_idle = False
        rises = cite("SPLIT-3", timestamp > part.watermark)
        if rises:
            part.watermark = timestamp
        # Only a watermark that may move the output, or that ends idleness, is an update.
        resumes = was_idle and self.policies.split_resumption == "any-watermark"
        advances = rises and timestamp > self.output.maximum
        return self._update(waits=deferred or not (resumes or advances))

    def idle(self, name: str | int, deferred: bool = False) -> list[Output]:
        """The part has no data for now and is not to be waited for."""
        self._part(name).idle = True
        return self._update(deferred)

    def active(self, name: str | int, deferred: bool = False) -> list[Output]:
        """The part has data again."""
        self._part(name).idle = False
        return self._update(deferred)

    def _update(self, waits: bool) -> list[Output]:
        """Output what is new, unless it `waits` for the next update."""
        if waits and cite("SPLIT-10"):
            return []
        combined, idle = self._combine()
        if self.policies.split_status != "changes":
            self.output.is_idle = False
        if not idle:
            resumed = [] if self.rising_resumption else self.output.active()
            return resumed + self.output.watermark(combined)
        if cite("SPLIT-5", combined > self.output.maximum):
            return self.output.watermark(combined) + self.output.idle()
        return self.output.idle()

    def _combine(self) -> tuple[int, bool]:
        """The watermark (ms) of all parts together, and whether they are idle."""
        if cite("SPLIT-7", not self.parts):
            return MIN, self.output.is_idle or self.policies.split_none == "idle"
        leaves = self.policies.split_finished == "leaves"
        left = [p for p in self.parts.values() if not cite("SPLIT-11", leaves and p.watermark == MAX)]
        if not left:
            return MAX, False
        active = [part.watermark for part in left if not cite("SPLIT-4", part.idle)]
        if cite("SPLIT-6", not active):
            return max(part.watermark for part in left), True
        delivered = [timestamp for timestamp in active if timestamp > MIN]
        if cite("SPLIT-1", len(delivered) < len(active)):
            return self.output.maximum, False
        # No part is left out until it has caught up, as a valve does: one that is behind holds the output.
        caught_up = [timestamp for timestamp in delivered if timestamp >= self.output.maximum]
        if cite("SPLIT-9", len(caught_up) < len(delivered)):
            return self.output.maximum, False
        return smallest("SPLIT-2", caught_up), False

    def _part(self, name: str | int) -> Part:
        if cite("SPLIT-12", name not in self.parts):
            raise IllegalArgument(f"split or input {name!r} does not exist (SPLIT-12)")
        return self.parts[name]

    def state(self) -> tuple[Any, ...]:
        """All of the state, hashable: equal states behave alike from here on."""
        parts = [(n, self.parts[n].watermark, self.parts[n].idle) for n in sorted(self.parts, key=str)]
        return tuple(parts), self.output.maximum, self.output.is_idle

    snapshot = state

    def restore(self, saved: tuple[Any, ...]) -> None:
        """Become the combination that `saved` was taken from."""
        cite("SPLIT-13")
        parts, self.output.maximum, self.output.is_idle = saved
        self.parts = {name: Part(timestamp, idle) for name, timestamp, idle in parts}


class SplitOutputs(Combined):
    """The splits of one source subtask, by name; adding one twice raises `IllegalState` (SPLIT-12)."""

    def __init__(self, policies: Policies = CORE) -> None:
        super().__init__(policies)
        self.rising_resumption = policies.split_resumption == "rising-watermark"

    def add(self, split: str) -> list[Output]:
        """A split is assigned."""
        if cite("SPLIT-12", split in self.parts):
            raise IllegalState(f"split {split!r} is there already (SPLIT-12)")
        self.parts[split] = Part()
        return self._update(self.policies.split_membership == "next-update")

    def remove(self, split: str) -> list[Output]:
        """A split is finished or taken away; nothing happens if it is not there."""
        self.parts.pop(split, None)
        return self._update(self.policies.split_membership == "next-update")

    def tick(self) -> list[Output]:
        """The periodic emit."""
        cite("SPLIT-10")
        return self._update(waits=False)


class OperatorInputs(Combined):
    """The `inputs` of one operator, numbered from 0; nothing is deferred."""

    def __init__(self, inputs: int, policies: Policies = CORE) -> None:
        super().__init__(replace(policies, split_status="changes"))
        if inputs < 1:
            raise IllegalArgument(f"inputs must be at least 1, not {inputs} (SPLIT-12)")
        self.parts = {number: Part() for number in range(inputs)}
        self.silent_resumption = policies.split_resumption == "rising-watermark"
