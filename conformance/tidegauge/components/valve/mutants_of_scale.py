"""Faulty valves that only scenarios of scale detect."""

from typing import Any

from tidegauge_reference.citation import cite
from tidegauge_reference.outputs import IDLE
from tidegauge_reference.timestamps import MAX, MIN

from ...mutants.mutant import Mutant, at_scale


def _difference_goes_round(self: Any, channel: int, timestamp: int) -> Any:
    source = self._channel(channel)
    if cite("VALVE-5", source.idle):
        return []
    rise = (timestamp - source.watermark + 2**63) % 2**64 - 2**63
    if cite(
        "VALVE-3", timestamp <= source.watermark or (rise < 0 and source.watermark > MIN and timestamp < MAX)
    ):
        return []
    source.watermark = timestamp
    if not source.aligned:
        source.aligned = cite("VALVE-10", timestamp >= self.output_watermark)
    if timestamp == MAX and self._all_idle():
        return self._become_idle()
    return self._output_minimum("VALVE-2")


def _idle_flags_of_one_word(self: Any, channel: int) -> Any:
    source = self._channel(channel)
    if cite("VALVE-21", self._finished(source)):
        return []
    if cite("VALVE-7", any(other.idle for other in self.channels[channel % 64 :: 64])):
        return []
    source.idle, source.aligned = True, False
    at_output = source.watermark == self.output_watermark
    if cite("VALVE-14", self._all_idle()):
        if at_output or self.policies.valve_flush_when_all_idle != "last-channel-at-output":
            return self._become_idle()
        self.output_idle = True
        return [IDLE]
    if at_output or self.policies.valve_minimum_when_idle != "channel-at-output":
        return self._output_minimum("VALVE-6")
    return []


def _every_256th_watermark(self: Any, channel: int, timestamp: int) -> Any:
    source = self._channel(channel)
    if cite("VALVE-5", source.idle):
        return []
    if cite("VALVE-3", timestamp <= source.watermark):
        return []
    self.accepted = getattr(self, "accepted", 0) + 1
    if self.accepted % 256 == 0:
        return []
    source.watermark = timestamp
    if not source.aligned:
        source.aligned = cite("VALVE-10", timestamp >= self.output_watermark)
    if timestamp == MAX and self._all_idle():
        return self._become_idle()
    return self._output_minimum("VALVE-2")


VALVE_MUTANTS_OF_SCALE = (
    at_scale(
        "apart-2-63",
        Mutant(
            "valve-difference-goes-round",
            "valve",
            "valve",
            ("VALVE-2",),
            "differences of 64 bits",
            "A watermark that increases by more than 2^63 ms is ignored as a regression.",
            functions=(("Valve.watermark", _difference_goes_round),),
        ),
    ),
    at_scale(
        "65-channels",
        Mutant(
            "valve-idle-flags-of-one-word",
            "valve",
            "valve",
            ("VALVE-14",),
            "a shift by more than a word",
            "Channels with the same number modulo 64 share an idle flag: the second stays active.",
            functions=(("Valve.idle", _idle_flags_of_one_word),),
        ),
    ),
    at_scale(
        "over-and-over",
        Mutant(
            "valve-every-256th-watermark",
            "valve",
            "valve",
            ("VALVE-2",),
            "a counter of 8 bits",
            "Every 256th watermark is ignored.",
            functions=(("Valve.watermark", _every_256th_watermark),),
        ),
    ),
)
