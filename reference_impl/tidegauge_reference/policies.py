"""Policies and profiles, executable. Their meaning and sources: `policies.md`, `profiles.md` of the spec."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Policies:
    """The named choices where engines may legitimately differ; the defaults are the profile `core`."""

    valve_flush_when_all_idle: Literal["always", "last-channel-at-output"] = "always"
    valve_minimum_when_active: Literal["derived", "deferred"] = "derived"
    valve_minimum_when_idle: Literal["derived", "channel-at-output"] = "derived"
    valve_finished_channel: Literal["leaves", "counts"] = "leaves"


CORE = Policies()

FLINK_2_3 = Policies(
    valve_flush_when_all_idle="last-channel-at-output",
    valve_minimum_when_active="deferred",
    valve_minimum_when_idle="channel-at-output",
    valve_finished_channel="counts",
)

PROFILES = {"core": CORE, "flink-2.3": FLINK_2_3}
