"""SOURCE: how far a source subtask may read, and which of its splits."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .citation import cite
from .errors import IllegalArgument, Unsupported
from .policies import CORE, Policies
from .splits import Part
from .timestamps import MAX, MIN

MAIN = ""
"""The name of the output that belongs to no split."""

Outputs = list[tuple[Any, ...]]


@dataclass(slots=True)
class Alignment:
    """The `bound` announced last (ms), `MAX` before the first; whether the subtask is `blocked` by it; which
    splits are `paused`. Where a policy says so, a watermark counts after `buffer_size` samples of it."""

    can_pause: bool
    allow_unaligned_splits: bool
    buffer_size: int
    policies: Policies = CORE
    bound: int = MAX
    blocked: bool = False
    paused: frozenset[str] = frozenset()
    samples: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.buffer_size < 0:
            raise IllegalArgument(f"buffer_size must be at least 0, not {self.buffer_size} (SOURCE-16)")
        if self.policies.source_aligned_watermark == "newest":
            self.buffer_size = 0

    def sample(self, split: str, watermark: int) -> None:
        """An update interval has passed; the newest watermark (ms) of a split, under `MAIN` the subtask's."""
        if self.buffer_size:
            self.samples[split] = (*self._sampled(split)[1:], watermark)

    def counted(self, split: str, watermark: int) -> int:
        """The watermark (ms) to compare with the bound, where `watermark` is the newest."""
        return (*self._sampled(split), watermark)[0]

    def _sampled(self, split: str) -> tuple[int, ...]:
        return self.samples.get(split, (MIN,) * self.buffer_size)

    def check(self, emitted: int, splits: Mapping[Any, Part], announced: bool) -> Outputs:
        """Compare the watermark that the subtask has `emitted` (ms), and those of its splits, with the bound;
        resume splits if it was `announced`. Raises `Unsupported` before anything changes (SOURCE-12)."""
        ahead = {split for split, part in splits.items() if self.counted(split, part.watermark) > self.bound}
        idle = {split for split, part in splits.items() if part.idle}
        pausing = ahead - idle - self.paused - {MAIN}
        if cite("SOURCE-9", bool(pausing)) and not self.can_pause:
            if cite("SOURCE-12", not self.allow_unaligned_splits):
                raise Unsupported(f"the reader cannot pause {sorted(pausing)} (SOURCE-12)")
            pausing = set()
        kept = ahead | (idle if self.policies.source_idle_paused_split == "stays" else set())
        resuming = self.paused - kept if announced else frozenset()
        self.paused = self.paused - resuming | pausing
        outputs: Outputs = [("splits-paused", tuple(sorted(pausing)))] if pausing else []
        if cite("SOURCE-10", bool(resuming)):
            outputs.append(("splits-resumed", tuple(sorted(resuming))))
        return outputs + self._subtask(self.counted(MAIN, emitted))

    def _subtask(self, watermark: int) -> Outputs:
        was_blocked = self.blocked
        self.blocked = not cite("SOURCE-2", watermark <= self.bound)
        if self.blocked:
            return [("blocked",)] if cite("SOURCE-1", not was_blocked) else []
        return [("unblocked",)] if cite("SOURCE-3", was_blocked) else []

    def state(self) -> tuple[Any, ...]:
        """All of the state, hashable."""
        return self.bound, self.blocked, self.paused, tuple(sorted(self.samples.items()))

    def restore(self, saved: tuple[Any, ...]) -> None:
        """Become the one that `saved` was taken from."""
        self.bound, self.blocked, self.paused, samples = saved
        self.samples = dict(samples)
