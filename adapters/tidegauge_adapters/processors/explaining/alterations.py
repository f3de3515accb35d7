"""Mistakes make a correct processor faulty; cures make a faulty one correct."""

from __future__ import annotations

from ..playing.alteration import Alteration

MISTAKES: tuple[Alteration, ...] = (
    Alteration(words="a timer at the end + 1 ms", timer_shift=1),
    Alteration(words="a timer at the end - 1 ms", timer_shift=-1),
    Alteration(words="a timer that is never deleted", keeps_timers=True),
    Alteration(words="a new timer that replaces the others of its key", one_timer=True),
    Alteration(words="state that is never cleared", keeps_state=True),
    Alteration(words="all state of a key lost when one timer expires", loses_state_at_expiry=True),
    Alteration(words="an attribute instead of state", loses_state_between=True),
    Alteration(words="list elements appended twice after a restart", appends_twice=True),
    Alteration(words="a time to live that is too short", lifetime_share=0.1),
    Alteration(words="`<` for `<=` at the watermark", watermark_shift=-1),
)
"""Typical mistakes in PySpark processors."""

CURES: tuple[Alteration, ...] = (
    Alteration(
        words="if one instance handled all micro-batches: something is not in its state", one_instance=True
    ),
    Alteration(words="without a time to live: state is forgotten before its timer", lifetime_share=None),
    Alteration(
        words="if the watermark that it reads were 1 ms later: `<` stands for `<=` in the late test",
        watermark_shift=1,
    ),
    Alteration(
        words="if the watermark that it reads were 1 ms earlier: `<=` stands for `<` in the late test",
        watermark_shift=-1,
    ),
    Alteration(words="if a new timer replaced the one before: a stale timer is not deleted", one_timer=True),
    Alteration(words="if timers expired 1 ms earlier: they are set 1 ms after the border", timer_shift=-1),
    Alteration(words="if timers expired 1 ms later: they are set 1 ms before the border", timer_shift=1),
    Alteration(
        words="if the expiry time that its timer handler reads were 1 ms later: `<` stands for `<=` in the "
        "handler",
        expiry_shift=1,
    ),
    Alteration(
        words="if the expiry time that its timer handler reads were 1 ms earlier: `<=` stands for `<` in the "
        "handler",
        expiry_shift=-1,
    ),
    Alteration(
        words="if state were cleared when its key has no timer left: nothing clears it",
        clears_without_timers=True,
    ),
    Alteration(
        words="if the watermark that it reads were before each row that is not late: its own test of late "
        "rows is wrong, it treats rows as late whose window has not ended",
        rows_before_watermark=True,
    ),
    Alteration(
        words="if Spark dropped late rows in front of it: what it does with rows at or before the watermark "
        "is wrong",
        drops_late_rows=True,
    ),
)
"""Cures for faulty processors. The best explanations come first."""

OFF_TIMERS = (Alteration(rows_off_timers=-1), Alteration(rows_off_timers=1))
"""Cures for a wrong border of windows. If it is the border, both hold: only rows exactly at it matter."""
