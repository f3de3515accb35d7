"""These checks test that only state carries over from one micro-batch to the next."""

from __future__ import annotations

from ..player import Player
from ..session_time import in_zone
from ..trace import Trace, in_batches
from .check import Wrong, difference_of

_ELSEWHERE = "Asia/Kolkata"
"""Five and a half hours from UTC, in summer and in winter."""


def state_alone(player: Player, trace: Trace) -> Wrong | None:
    """Return how one instance for all micro-batches differs from a new instance in each micro-batch."""
    rows_first = player.subject.mode == "ProcessingTime"
    single_rows = in_batches(trace, (1,), rows_first)
    several = player.played(single_rows)
    single = player.played(single_rows, one_instance=True)
    difference = difference_of(player.subject, single, several)
    if difference is None:
        return None
    changed = sorted(several.attributes | single.attributes)
    names = ", ".join(changed) or "something that no state has"
    return Wrong(
        f"{names} is kept outside of the state and is lost, as Spark makes a new instance in each "
        f"micro-batch: {difference}",
        tuple(several.outputs),
        tuple(single.outputs),
    )


def same_in_any_zone(player: Player, trace: Trace) -> Wrong | None:
    """Return what changes on a machine in another time zone."""
    here = player.as_spark(trace)
    with in_zone(_ELSEWHERE):
        elsewhere = player.played(player.batches(trace))
    difference = difference_of(player.subject, here, elsewhere)
    if difference is None:
        return None
    return Wrong(
        f"on a machine in the time zone {_ELSEWHERE} the processor returns other rows than in UTC: "
        f"{difference}",
        tuple(elsewhere.outputs),
        tuple(here.outputs),
    )


def repeatable(player: Player, trace: Trace) -> Wrong | None:
    """Return what changes if each micro-batch fails once and runs again from the same state."""
    once = player.as_spark(trace)
    again = player.played(player.batches(trace), again=True)
    difference = difference_of(player.subject, once, again)
    if difference is None:
        return None
    return Wrong(
        "a micro-batch that failed and runs again from the same state does not return the same rows: "
        + difference,
        tuple(again.outputs),
        tuple(once.outputs),
    )
