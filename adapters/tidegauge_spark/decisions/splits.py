"""The watermark of several splits, or of several inputs, in plain Python: what each step changes and sends.

All timestamps are in milliseconds. Splits of a source and inputs of an operator are both *parts*: what leaves
is the minimum over the parts that are not idle. Nothing here knows Spark.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Generic, NamedTuple, TypeVar

from tidegauge_spark.decisions.errors import IllegalArgumentError, IllegalStateError
from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.decisions.valve import ACTIVE, IDLE, ValveOutput

Part = TypeVar("Part", bound=Hashable)
"""How a part is called: splits by name, inputs by number."""


class CombinationState(NamedTuple, Generic[Part]):
    """All that a combination has to remember, one entry a part in the lists (SPLIT-13).

    Deferred changes are in it like any others: they differ in when they are sent, not in where they are kept.
    """

    parts: list[Part]
    watermarks: list[int]
    idle: list[bool]
    output_watermark: int
    output_idle: bool


class Combination(Generic[Part]):
    """The watermarks and statuses of parts on the one side, one of each on the other.

    Its steps return what goes downstream, in this order, and raise `IllegalArgumentError`, having changed
    nothing, for a part that is not there (SPLIT-12). An update looks at every part once.
    """

    def __init__(self, parts: Iterable[Part] = ()) -> None:
        """Start with these parts: active, without a watermark (SPLIT-1)."""
        self._watermarks = dict.fromkeys(parts, MIN)
        self._idle: set[Part] = set()
        self._output_watermark = MIN
        self._output_idle = False

    def state(self) -> CombinationState[Part]:
        """Return a copy of the state; later steps do not change it."""
        return CombinationState(
            parts=list(self._watermarks),
            watermarks=list(self._watermarks.values()),
            idle=[part in self._idle for part in self._watermarks],
            output_watermark=self._output_watermark,
            output_idle=self._output_idle,
        )

    def _restore(self, state: CombinationState[Part]) -> None:
        self._watermarks = dict(zip(state.parts, state.watermarks, strict=True))
        self._idle = {part for part, idle in zip(state.parts, state.idle, strict=True) if idle}
        self._output_watermark = state.output_watermark
        self._output_idle = state.output_idle

    def _watermark(self, part: Part, timestamp: int, deferred: bool) -> list[ValveOutput]:
        self._check(part)
        rises = timestamp > self._watermarks[part]
        returns = part in self._idle
        if rises:
            self._watermarks[part] = timestamp  # SPLIT-3
        self._idle.discard(part)  # SPLIT-8: data ends idleness, also when its watermark says nothing new
        if deferred or not (returns or (rises and timestamp > self._output_watermark)):
            return []  # SPLIT-10
        return self._update()

    def _status(self, part: Part, idle: bool, deferred: bool) -> list[ValveOutput]:
        self._check(part)
        if idle:
            self._idle.add(part)
        else:
            self._idle.discard(part)
        return [] if deferred else self._update()

    def _check(self, part: Part) -> None:
        """Raise `IllegalArgumentError` for a part that is not there (SPLIT-12)."""
        if part not in self._watermarks:
            raise IllegalArgumentError(f"{part!r} is not among the {len(self._watermarks)} parts")

    def _update(self) -> list[ValveOutput]:
        """Send what is new (SPLIT-10)."""
        # SPLIT-11: a finished part has no voice while another is unfinished.
        unfinished = [
            (watermark, part in self._idle)
            for part, watermark in self._watermarks.items()
            if watermark != MAX
        ]
        awaited = [watermark for watermark, idle in unfinished if not idle]  # SPLIT-4
        if self._watermarks and not unfinished:
            awaited = [MAX]  # without any part nobody says that it is the end (SPLIT-7)
        if awaited:  # SPLIT-9: a minimum below the output leaves it where it is
            return [*self._resumed(), *self._raised_to(min(awaited))]
        largest = max((watermark for watermark, _ in unfinished), default=MIN)
        outputs: list[ValveOutput] = []
        if largest > self._output_watermark:
            outputs = [*self._resumed(), *self._raised_to(largest)]  # SPLIT-5
        if not self._output_idle:
            self._output_idle = True
            outputs.append(IDLE)  # SPLIT-6
        return outputs

    def _resumed(self) -> list[ValveOutput]:
        """Say ACTIVE if the last word was IDLE (SPLIT-8)."""
        if not self._output_idle:
            return []
        self._output_idle = False
        return [ACTIVE]

    def _raised_to(self, timestamp: int) -> list[ValveOutput]:
        """Send the watermark (ms) if it is greater than the last one sent (SPLIT-2)."""
        if timestamp <= self._output_watermark:
            return []
        self._output_watermark = timestamp
        return [ValveOutput("watermark", timestamp)]


class SplitWatermarks(Combination[str]):
    """The splits of one source subtask, by name; none at the start.

    A *deferred* watermark or status is kept until the next tick, or until another split has something to send
    at once, so that a watermark for each record costs nothing (SPLIT-10).
    """

    def __init__(self) -> None:
        """Start without splits; at the first tick that is IDLE, never the end of time (SPLIT-7)."""
        super().__init__()

    @classmethod
    def restored(cls, state: CombinationState[str]) -> SplitWatermarks:
        """Return one that goes on where the one with this state stood (SPLIT-13)."""
        splits = cls()
        splits._restore(state)
        return splits

    def add_split(self, split: str) -> list[ValveOutput]:
        """A split is assigned: it is waited for from the next update on (SPLIT-1, SPLIT-10).

        Raises `IllegalStateError` if it is there already (SPLIT-12).
        """
        if split in self._watermarks:
            raise IllegalStateError(f"split {split!r} has been added before")
        self._watermarks[split] = MIN
        return []

    def remove_split(self, split: str) -> list[ValveOutput]:
        """A split is taken away, with what it has deferred; one that is not there is no error."""
        self._watermarks.pop(split, None)
        self._idle.discard(split)
        return []

    def watermark(self, split: str, timestamp: int, deferred: bool = False) -> list[ValveOutput]:
        """A split is complete up to the timestamp (ms), and active; `MAX` finishes it (SPLIT-2, SPLIT-3)."""
        return self._watermark(split, timestamp, deferred)

    def idle(self, split: str, deferred: bool = False) -> list[ValveOutput]:
        """A split has no data for now: nobody waits for it (SPLIT-4)."""
        return self._status(split, True, deferred)

    def active(self, split: str, deferred: bool = False) -> list[ValveOutput]:
        """A split has data again; one that is behind holds the output where it is (SPLIT-9)."""
        return self._status(split, False, deferred)

    def tick(self) -> list[ValveOutput]:
        """Send what has been deferred, and what splits that came or went have changed (SPLIT-10)."""
        return self._update()


class InputWatermarks(Combination[int]):
    """The inputs of one operator, such as a join or a union by hand, numbered from 0; all there at the start.

    No valve: an input that comes back behind the output holds it (SPLIT-9), and a watermark ends the
    idleness of its input (SPLIT-8). Every change is sent at once.
    """

    def __init__(self, inputs: int) -> None:
        """Start with so many inputs. Raises `IllegalArgumentError` for less than one."""
        if inputs < 1:
            raise IllegalArgumentError(f"an operator has at least one input, not {inputs}")
        super().__init__(range(inputs))

    @classmethod
    def restored(cls, state: CombinationState[int]) -> InputWatermarks:
        """Return one that goes on where the one with this state stood (SPLIT-13)."""
        inputs = cls(len(state.parts))
        inputs._restore(state)
        return inputs

    def watermark(self, number: int, timestamp: int) -> list[ValveOutput]:
        """An input is complete up to the timestamp (ms), and active; `MAX` finishes it (SPLIT-2, SPLIT-3)."""
        return self._watermark(number, timestamp, False)

    def idle(self, number: int) -> list[ValveOutput]:
        """An input has no data for now: nobody waits for it (SPLIT-4)."""
        return self._status(number, True, False)

    def active(self, number: int) -> list[ValveOutput]:
        """An input has data again; one that is behind holds the output where it is (SPLIT-9)."""
        return self._status(number, False, False)
