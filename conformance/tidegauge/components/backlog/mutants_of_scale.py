"""Faulty backlog detectors and combiners that only scenarios of scale detect."""

from typing import Any

from tidegauge_reference.backlog import OPTION
from tidegauge_reference.citation import cite
from tidegauge_reference.errors import IllegalArgument
from tidegauge_reference.timestamps import no_watermark

from ...mutants.mutant import Mutant, at_scale


def _option_without_case(self: Any, option: str, milliseconds: int) -> None:
    if cite("BACKLOG-1", option.casefold() == OPTION and not self.started):
        if cite("BACKLOG-2", milliseconds <= 0):
            raise IllegalArgument(f"{option} must be greater than 0, not {milliseconds} (BACKLOG-2)")
        self.threshold = milliseconds


def _lag_goes_round(self: Any) -> Any:
    if cite("BACKLOG-3", self.threshold == 0):
        return []
    judged = cite("BACKLOG-4", not no_watermark(self.lag_from)) and cite("BACKLOG-4", not self.is_idle)
    may_claim = judged and not cite("BACKLOG-7", self.final)
    lag = (self.now - self.lag_from + 2**63) % 2**64 - 2**63
    self.lag_claims = may_claim and cite("BACKLOG-4", lag > self.threshold)
    if self.one_way and judged and not self.lag_claims:
        self.final = True
    return self._send(self.lag_claims, self.others)


def _every_256th_flag(self: Any, channel: int, backlog: bool) -> Any:
    if cite("BACKLOG-2", not 0 <= channel < len(self.channels)):
        raise IllegalArgument(f"channel {channel} of {len(self.channels)} does not exist (BACKLOG-2)")
    self.arrived = getattr(self, "arrived", 0) + 1
    if self.arrived % 256 == 0:
        return []
    self.channels = (*self.channels[:channel], backlog, *self.channels[channel + 1 :])
    incomplete = True not in self.channels and cite("BACKLOG-10", None in self.channels)
    return [] if incomplete else self._send(*self.channels)


BACKLOG_MUTANTS_OF_SCALE = (
    at_scale(
        "names",
        Mutant(
            "backlog-option-without-case",
            "backlog",
            "backlog",
            ("BACKLOG-1",),
            "names in lower case",
            "The comparison of option names ignores case.",
            functions=(("LagDetector.configure", _option_without_case),),
        ),
    ),
    at_scale(
        "apart-2-63",
        Mutant(
            "backlog-lag-goes-round",
            "backlog",
            "backlog",
            ("BACKLOG-4",),
            "differences of 64 bits",
            "A lag of more than 2^63 ms overflows and becomes negative.",
            functions=(("LagDetector._evaluated", _lag_goes_round),),
        ),
    ),
    at_scale(
        "over-and-over",
        Mutant(
            "backlog-every-256th-flag",
            "backlog",
            "backlog",
            ("BACKLOG-8",),
            "a counter of 8 bits",
            "The combiner ignores every 256th flag.",
            functions=(("AttributesCombiner.attributes", _every_256th_flag),),
        ),
    ),
)
