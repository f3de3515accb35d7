"""Faulty idleness detectors that only scenarios of scale detect."""

from typing import Any

from tidegauge_reference.citation import cite
from tidegauge_reference.outputs import IDLE

from ...mutants.mutant import Mutant, at_scale


def _deadline(self: Any, now: int) -> bool:
    if cite("IDLE-3", self.heard):
        self.heard, self.countdown = False, None
        return False
    if cite("IDLE-2", self.countdown is None):
        if now != 0 or self.policies.idleness_reading_zero == "starts":
            self.countdown = now
        return False
    end = (self.countdown + self.timeout + 2**63) % 2**64 - 2**63
    return cite("IDLE-1", now > end)


def _probed_500_times(self: Any) -> Any:
    if cite("IDLE-4", self.idle):
        return []
    self.probes = getattr(self, "probes", 0) + 1
    self.idle = self.probes <= 500 and self._timed_out(self.clock.read())
    return [IDLE] if self.idle else self.generator.on_periodic_emit()


IDLENESS_MUTANTS_OF_SCALE = (
    at_scale(
        "far",
        Mutant(
            "idleness-deadline-goes-round",
            "idleness",
            "idleness",
            ("IDLE-1",),
            "sums of 64 bits",
            "The end of the timeout overflows 64 bits: close to 2^63, the input becomes idle at once.",
            functions=(("WatermarksWithIdleness._timed_out", _deadline),),
        ),
    ),
    at_scale(
        "over-and-over",
        Mutant(
            "idleness-probed-500-times",
            "idleness",
            "idleness",
            ("IDLE-1",),
            "a budget of probes",
            "Idleness is no longer checked after 500 ticks.",
            functions=(("WatermarksWithIdleness.on_periodic_emit", _probed_500_times),),
        ),
    ),
)
