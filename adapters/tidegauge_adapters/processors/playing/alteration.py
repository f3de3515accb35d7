"""Alterations change what passes between a processor and its state, timers, clock, rows and results.

The same hooks serve two purposes. A mistake makes a correct processor faulty, which measures its checks. A
cure makes a faulty processor correct, which explains a counterexample.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Alteration:
    """An alteration changes what a processor is given and returns. The default changes nothing.

    Attributes:
        words: the description of the alteration in reports.
        timer_shift: how much later than registered a timer expires (ms).
        keeps_timers: whether deleting a timer has no effect.
        one_timer: whether a new timer replaces the other timers of its key.
        keeps_state: whether removing state has no effect.
        loses_state_at_expiry: whether the state of a key is lost when one of its timers expires.
        loses_state_between: whether state is lost between micro-batches.
        clears_without_timers: whether the state of a key is removed when the key has no timer.
        appends_twice: whether the last element of each list is appended again when a new instance starts.
        lifetime_share: the factor by which times to live are multiplied; None removes them.
        watermark_shift: the offset that is added to the watermark that the processor reads (ms).
        drops_late_rows: whether Spark drops late rows before the processor; None keeps what is declared.
        one_instance: whether one instance handles all micro-batches.
        expiry_shift: the offset that is added to the expiry time that the timer handler reads (ms).
        rows_before_watermark: whether rows that are not late come with a watermark before them.
        distinct: the input column of which a key gets no value twice; empty for none.
        rows_off_timers: how far a row whose time equals a timer of its key is moved (ms).
        later_result: the output column whose values are shifted; empty for none.
        result_shift: the offset that is added to the values of `later_result`, or ms if it is a timestamp.
    """

    words: str = ""
    timer_shift: int = 0
    keeps_timers: bool = False
    one_timer: bool = False
    keeps_state: bool = False
    loses_state_at_expiry: bool = False
    loses_state_between: bool = False
    clears_without_timers: bool = False
    appends_twice: bool = False
    lifetime_share: float | None = 1.0
    watermark_shift: int = 0
    drops_late_rows: bool | None = None
    one_instance: bool = False
    expiry_shift: int = 0
    rows_before_watermark: bool = False
    distinct: str = ""
    rows_off_timers: int = 0
    later_result: str = ""
    result_shift: int = 0


NONE = Alteration()
