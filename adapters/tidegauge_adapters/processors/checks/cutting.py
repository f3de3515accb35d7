"""These checks test that cuts into micro-batches, other keys and the order of rows change no results."""

from __future__ import annotations

from ..playing.played import Played
from ..playing.player import Player
from ..playing.trace import Arrival, Batch, Key, Passage, Trace, in_batches
from ..words import key_text
from .check import Wrong, wrong_if_different


def cuts(player: Player, trace: Trace) -> Wrong | None:
    """Return what changes if rows between two passages of time arrive in several micro-batches or frames."""
    trace = player.separated(trace)
    whole = player.as_spark(trace)
    rows_first = player.subject.mode == "ProcessingTime"
    for sizes, how in (((1,), "one row in each"), ((1, 2), "of one row and two"), ((2,), "of two rows")):
        wrong = wrong_if_different(
            player,
            whole,
            player.played(in_batches(trace, sizes, rows_first)),
            f"in micro-batches with {how} the processor returns other rows than in one, between the same "
            "watermarks",
        )
        if wrong is not None:
            return wrong
    if player.subject.form == "rows":
        return None
    several = [
        Batch(batch.segment, tuple((row,) for chunk in batch.chunks for row in chunk), batch.to)
        for batch in player.batches(trace)
    ]
    return wrong_if_different(
        player,
        whole,
        player.played(several),
        "with the rows of a micro-batch in several data frames, as Spark hands over large ones, the "
        "processor returns other rows",
    )


def keys_apart(player: Player, trace: Trace) -> Wrong | None:
    """Return what changes for a key if rows of other keys arrive, too."""
    together = player.as_spark(trace)
    keys = {player.rows.key(event) for event in trace if isinstance(event, Arrival)}
    if len(keys) < 2:
        return None
    for key in sorted(keys, key=repr):
        own = tuple(e for e in trace if isinstance(e, Passage) or player.rows.key(e) == key)
        alone = player.played(player.batches(own))
        text = f"rows of other keys change what {key_text(player.subject, key)} gets"
        wrong = wrong_if_different(player, _of_key(alone, key), _of_key(together, key), text)
        if wrong is not None:
            return wrong
    return None


def _of_key(played: Played, key: Key) -> Played:
    outputs = [one for one in played.outputs if one.key == key]
    return Played(outputs=outputs, problem=played.problem, times=played.times)


def any_order(player: Player, trace: Trace) -> Wrong | None:
    """Return what changes if the rows of each micro-batch arrive in reverse order."""
    turned = [
        Batch(batch.segment, tuple(tuple(reversed(chunk)) for chunk in batch.chunks), batch.to)
        for batch in player.batches(trace)
    ]
    text = "the order of rows in a micro-batch, which Spark does not promise, changes the results"
    return wrong_if_different(player, player.as_spark(trace), player.played(turned), text)
