"""The checks need no model: they test properties of every processor, whatever it computes.

The order of the checks matters, because the first check that fails is the best explanation. Exceptions come
first, then data outside of the state, then the cut into micro-batches, and then the results.
"""

from __future__ import annotations

from ..processor_under_test import ProcessorUnderTest
from .calls import accepts, timers_ahead
from .check import Check
from .cutting import any_order, cuts, keys_apart
from .instances import repeatable, same_in_any_zone, state_alone
from .results import due_in_time, equals_batch, nothing_left, once


def _always(_: ProcessorUnderTest) -> str:
    return ""


def _with_time(subject: ProcessorUnderTest) -> str:
    return "" if subject.mode != "None" else "time mode None"


CHECKS: tuple[Check, ...] = (
    Check(
        "accepts",
        "valid rows raise nothing, and all rows and states fit their schemas",
        "exceptions, columns that are missing or of another type",
        _always,
        accepts,
    ),
    Check(
        "state",
        "everything it remembers is in its state",
        "attributes, class variables and module variables that matter",
        _always,
        state_alone,
    ),
    Check(
        "repeat",
        "a micro-batch that runs again from the same state returns the same rows",
        "random numbers, the wall clock, and what outlives a failed batch",
        _always,
        repeatable,
    ),
    Check(
        "zone",
        "results do not depend on the time zone of the machine",
        "timestamps without a zone, as states give them back, beside those of rows, which have one",
        lambda subject: (
            "no column is a timestamp"
            if not subject.has_timestamps
            else ("" if subject.any_zone else "not declared: any_zone")
        ),
        same_in_any_zone,
    ),
    Check(
        "timers",
        "no timer is set in the past",
        "timers at or before the watermark, which fire at once",
        _with_time,
        timers_ahead,
    ),
    Check(
        "cuts",
        "results do not depend on how rows are cut into micro-batches",
        "results for each batch, state that is written once a batch or lost in it",
        _always,
        cuts,
    ),
    Check(
        "keys",
        "results do not depend on rows of other keys",
        "what one key leaves behind for the next",
        _always,
        keys_apart,
    ),
    Check(
        "order",
        "results do not depend on the order of rows between two watermarks",
        "first or last row by arrival",
        lambda subject: "" if subject.any_order else "not declared: any_order",
        any_order,
    ),
    Check(
        "once",
        "no result comes twice",
        "windows that fire again",
        lambda subject: "" if subject.once else 'not declared: once=("start", "end")',
        once,
    ),
    Check(
        "due",
        "results of timers come when the watermark reaches the time at which they are due",
        "timers beside the end of a window, handlers that fire whatever is in the state",
        lambda subject: "" if subject.due else 'not declared: due="end", the column of the time',
        due_in_time,
    ),
    Check(
        "end",
        "no timer and no state is left after all time has passed",
        "state that is never cleared, timers that set themselves again",
        _with_time,
        nothing_left,
    ),
    Check(
        "batch",
        "streaming equals batch on all rows that were not late",
        "wrong values and wrong borders, if the function is correct",
        lambda subject: "" if subject.batch else "not declared: batch=a function of a pandas data frame",
        equals_batch,
    ),
)
