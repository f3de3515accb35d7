"""Faulty watermark generators and strategies that only scenarios of scale detect."""

from dataclasses import replace
from typing import Any

from tidegauge_reference.citation import cite
from tidegauge_reference.errors import IllegalArgument
from tidegauge_reference.generators import given
from tidegauge_reference.outputs import Output, watermark
from tidegauge_reference.timestamps import MIN

from ...mutants.mutant import Mutant, at_scale


def _durations_of_31_bits(argument: str, value: Any, least: int | None = None) -> Any:
    most = 2**31 - 1 if argument in ("max_out_of_orderness", "timeout", "drift", "interval") else 2**63 - 1
    if cite("GEN-15", value is None or (least is not None and not least <= value <= most)):
        raise IllegalArgument(f"{argument} cannot be {value} (GEN-15)")
    return value


def _muted_after_100(self: Any) -> list[Output]:
    if not cite("GEN-4", self.periodic):
        return []
    time = self.time()
    self.same = getattr(self, "same", 0) + 1 if time == getattr(self, "last", None) else 0
    self.last = time
    if self.same >= 100:
        return []
    return [watermark(time - 1 if cite("GEN-5", time != MIN) else MIN)]


def _groups_of_64_characters(self: Any, group: Any, drift: int | None, interval: int | None = 1000) -> Any:
    durations = given("drift", drift, 0), given("interval", interval, 1)
    return replace(self, alignment=(given("group", group)[:64], *durations))


GENERATOR_MUTANTS_OF_SCALE = (
    at_scale(
        "apart-2-31",
        Mutant(
            "generator-durations-of-31-bits",
            "generator",
            "generators",
            ("GEN-15",),
            "a number of 32 bits",
            "Durations beyond 2^31 - 1 ms are rejected.",
            functions=(("given", _durations_of_31_bits),),
        ),
    ),
    at_scale(
        "repeated",
        Mutant(
            "generator-muted-after-100",
            "generator",
            "generators",
            ("GEN-4",),
            "a limit on repetitions",
            "A periodic watermark is no longer emitted after 100 ticks without a change.",
            functions=(("Generator.on_periodic_emit", _muted_after_100),),
        ),
    ),
    at_scale(
        "names",
        Mutant(
            "generator-groups-of-64-characters",
            "generator",
            "strategy",
            ("GEN-14",),
            "a column of fixed width",
            "The name of a group is truncated to 64 characters.",
            functions=(("WatermarkStrategy.with_watermark_alignment", _groups_of_64_characters),),
        ),
    ),
)
