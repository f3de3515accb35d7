"""These checks test that only state carries over from one micro-batch to the next."""

from __future__ import annotations

from ..playing.player import Player
from ..playing.trace import Trace, in_batches
from ..session_time import in_zone
from .check import Wrong, wrong_if_different

_ELSEWHERE = "Asia/Kolkata"
"""Five and a half hours from UTC, in summer and in winter."""


def state_alone(player: Player, trace: Trace) -> Wrong | None:
    """Return how one instance for all micro-batches differs from a new instance in each micro-batch."""
    rows_first = player.subject.mode == "ProcessingTime"
    single_rows = in_batches(trace, (1,), rows_first)
    several = player.played(single_rows)
    single = player.played(single_rows, one_instance=True)
    names = ", ".join(sorted(single.attributes)) or "something that no state has"
    text = (
        f"{names} is kept outside of the state and is lost, as Spark makes a new instance in each micro-batch"
    )
    return wrong_if_different(player, single, several, text)


def same_in_any_zone(player: Player, trace: Trace) -> Wrong | None:
    """Return what changes on a machine in another time zone."""
    here = player.as_spark(trace)
    with in_zone(_ELSEWHERE):
        elsewhere = player.played(player.batches(trace))
    text = f"on a machine in the time zone {_ELSEWHERE} the processor returns other rows than in UTC"
    return wrong_if_different(player, here, elsewhere, text)


def repeatable(player: Player, trace: Trace) -> Wrong | None:
    """Return what changes if each micro-batch fails once and runs again from the same state."""
    again = player.played(player.batches(trace), again=True)
    text = "a micro-batch that failed and runs again from the same state does not return the same rows"
    return wrong_if_different(player, player.as_spark(trace), again, text)
