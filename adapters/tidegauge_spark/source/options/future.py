"""The options about event times that are far ahead of the clock."""

from __future__ import annotations

from typing import Final, NamedTuple

from tidegauge_spark.source.options.given import GivenOptions

FUTURE_OPTIONS: Final = ("maxFutureEventTime", "onFutureEventTime")

PASS, FAIL = "pass", "fail"


class FutureOptions(NamedTuple):
    """How far an event time may be ahead of the wall clock (ms), and whether an event time that is further
    ahead makes the query fail; otherwise its row passes, and moves no watermark."""

    most: int
    fails: bool


def parse_future(given: GivenOptions) -> FutureOptions | None:
    """Return the options about the future, None if they are not given. Raises `IllegalOptionError`."""
    most = given.duration("maxFutureEventTime")
    given.require("onFutureEventTime", "maxFutureEventTime")
    if most is None:
        return None
    return FutureOptions(most, given.one_of("onFutureEventTime", (PASS, FAIL)) == FAIL)
