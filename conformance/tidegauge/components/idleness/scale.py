"""Idle timeouts at their limits, clocks that read much, inputs that are blocked many times over."""

from ...wire.steps.idleness import IdlenessSetup
from ..clock.scale import many_pauses
from ..scale import DAY_MS, LARGEST, Scale

_SECOND_NS = 10**9

SCALE = Scale(
    widen={"pauses": many_pauses},
    setups={
        "a-timeout-of-1-ns": IdlenessSetup("punctuated", 1),
        "a-timeout-of-1-s": IdlenessSetup("bounded-out-of-orderness", _SECOND_NS, 10),
        "a-timeout-of-a-day": IdlenessSetup("punctuated", DAY_MS * 10**6),
        "a-timeout-of-months": IdlenessSetup("bounded-out-of-orderness", 2**52, DAY_MS),
        "a-reading-at-2-31": IdlenessSetup("after-silence", 5, 1, 2**31 - 2),
        "a-reading-of-months": IdlenessSetup("punctuated", 10, 0, 2**53 - 2**43),
        "the-largest-out-of-orderness": IdlenessSetup("bounded-out-of-orderness", 10, LARGEST),
    },
)
