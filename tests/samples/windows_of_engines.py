"""The windows of Bytewax and of Apache Beam for Python as the reference under policies, with the differences
that no policy describes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from tidegauge.components.registry import COMPONENTS
from tidegauge.engine.in_process import InProcessSession
from tidegauge.wire.scenario import Scenario
from tidegauge.wire.transcript import Outputs
from tidegauge_reference import Policies, windows
from tidegauge_reference.windows import Interval, Windows

BYTEWAX = Policies(window_late_record="record", window_session_end="inclusive")
"""The choices of Bytewax, which explain all of its differences from `core`."""

BEAM = Policies(
    window_late_at_watermark="in-time",
    window_order_at_a_record="latest-first",
    window_session_lateness="before-merging",
    window_touching_sessions="separate",
    window_dropped_record="without-a-trace",
)
"""The choices of Beam, which explain its differences from `core` except that state is never dropped."""


class WindowsOfBeam(Windows):
    """Nothing is dropped; records that have fired in the discarding mode are gone."""

    def _over(self, window: Interval) -> bool:
        return False


def outputs_of(kind: type[Windows], scenario: Scenario, policies: Policies) -> list[Outputs]:
    """What an engine with those windows outputs."""
    component = COMPONENTS["window"]
    module: Any = SimpleNamespace(Windows=kind, Session=windows.Session, Sliding=windows.Sliding)
    session = InProcessSession(lambda: component.build(module, scenario.setup, policies), component.calls)
    return [tuple(session.step(step)) for step in scenario.history]
