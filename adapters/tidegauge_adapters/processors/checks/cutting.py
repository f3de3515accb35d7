"""These checks test that cuts into micro-batches, other keys and the order of rows change no results."""

from __future__ import annotations

from ..played import Played
from ..player import Player
from ..trace import Arrival, Batch, Key, Passage, Trace, in_batches
from ..words import key_text
from .check import Wrong, difference_of


def cuts(player: Player, trace: Trace) -> Wrong | None:
    """Return what changes if rows between two passages of time arrive in several micro-batches or frames."""
    whole = player.as_spark(trace)
    rows_first = player.subject.mode == "ProcessingTime"
    for sizes, how in (((1,), "one row in each"), ((1, 2), "of one row and two"), ((2,), "of two rows")):
        cut = player.played(in_batches(trace, sizes, rows_first))
        difference = difference_of(player.subject, whole, cut)
        if difference is not None:
            return Wrong(
                f"in micro-batches with {how} the processor returns other rows than in one, between the same "
                f"watermarks: {difference}",
                tuple(cut.outputs),
                tuple(whole.outputs),
            )
    if player.subject.form == "rows":
        return None
    several = [
        Batch(batch.segment, tuple((row,) for chunk in batch.chunks for row in chunk), batch.to)
        for batch in player.batches(trace)
    ]
    cut = player.played(several)
    difference = difference_of(player.subject, whole, cut)
    if difference is None:
        return None
    return Wrong(
        "with the rows of a micro-batch in several data frames, as Spark hands over large ones, the "
        f"processor returns other rows: {difference}",
        tuple(cut.outputs),
        tuple(whole.outputs),
    )


def keys_apart(player: Player, trace: Trace) -> Wrong | None:
    """Return what changes for a key if rows of other keys arrive, too."""
    together = player.as_spark(trace)
    keys = {player.rows.key(event) for event in trace if isinstance(event, Arrival)}
    if len(keys) < 2:
        return None
    for key in sorted(keys, key=repr):
        own = tuple(e for e in trace if isinstance(e, Passage) or player.rows.key(e) == key)
        alone = player.as_spark(own)
        of_key = _of_key(together, key)
        difference = difference_of(player.subject, _of_key(alone, key), of_key)
        if difference is not None:
            return Wrong(
                f"rows of other keys change what {key_text(player.subject, key)} gets: {difference}",
                tuple(of_key.outputs),
                tuple(alone.outputs),
            )
    return None


def _of_key(played: Played, key: Key) -> Played:
    outputs = [one for one in played.outputs if one.key == key]
    return Played(outputs=outputs, problem=played.problem, times=played.times)


def any_order(player: Player, trace: Trace) -> Wrong | None:
    """Return what changes if the rows of each micro-batch arrive in reverse order."""
    straight = player.as_spark(trace)
    turned = [
        Batch(batch.segment, tuple(tuple(reversed(chunk)) for chunk in batch.chunks), batch.to)
        for batch in player.batches(trace)
    ]
    reverse = player.played(turned)
    difference = difference_of(player.subject, straight, reverse)
    if difference is None:
        return None
    return Wrong(
        "the order of rows in a micro-batch, which Spark does not promise, changes the results: "
        f"{difference}",
        tuple(reverse.outputs),
        tuple(straight.outputs),
    )
