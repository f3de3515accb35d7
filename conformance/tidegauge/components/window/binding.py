"""Windows and lateness, bound to the reference and to its generators."""

from types import ModuleType
from typing import Any

from tidegauge_reference import Policies, windows

from ...wire.steps.window import (
    ActiveStep,
    ExpiredStateStep,
    IdleStep,
    RecordStep,
    Session,
    Sliding,
    Tumbling,
    WatermarkStep,
    WindowScenario,
    WindowSetup,
)
from ...wire.timestamps import from_wire
from ...wire.vocabulary import Step
from ..component import Component, CoverScope
from .drawing import draw_setup, draw_step
from .endurance import ENDURANCE
from .mutants import WINDOW_MUTANTS
from .narrowing import NARROWING
from .properties import PROPERTIES
from .scale import SCALE
from .shrinking import simplify


def _build(module: ModuleType, setup: WindowSetup, policies: Policies) -> Any:
    return module.Windows(
        _assigner(module, setup.assigner),
        setup.allowed_lateness,
        setup.trigger,
        setup.accumulation,
        setup.late_output,
        policies,
    )


def _assigner(module: ModuleType, assigner: Tumbling | Sliding | Session) -> Any:
    if isinstance(assigner, Session):
        return module.Session(assigner.gap)
    slide = assigner.slide if isinstance(assigner, Sliding) else assigner.size
    return module.Sliding(assigner.size, slide, assigner.offset)


def _alphabet(_: Any) -> tuple[Step, ...]:
    return (
        *(RecordStep(timestamp, number) for number, timestamp in enumerate((0, 1, 2, 3, 5, 8))),
        RecordStep("MIN", 6),
        *(WatermarkStep(timestamp) for timestamp in (-1, 0, 1, 2, 3, 4, 6, 9, "MAX")),
        IdleStep(),
        ActiveStep(),
        ExpiredStateStep(),
    )


def _scope(
    name: str, setup: WindowSetup, records: tuple[int, ...], watermarks: tuple[int, ...]
) -> CoverScope:
    alphabet = (
        *(RecordStep(timestamp, number) for number, timestamp in enumerate(records)),
        *(WatermarkStep(timestamp) for timestamp in watermarks),
        ActiveStep(),
        ExpiredStateStep(),
    )
    return CoverScope(name, setup, alphabet, longest=5)


_TUMBLING = _scope(
    "tumbling-2-lateness-2-discarding",
    WindowSetup(Tumbling(2), allowed_lateness=2, accumulation="discarding", late_output=False),
    (0, 1, 2),
    (0, 1, 2, 3),
)
_SLIDING = _scope(
    "sliding-3-every-2-lateness-1-accumulating",
    WindowSetup(Sliding(3, 2), allowed_lateness=1),
    (0, 1, 2),
    (0, 1, 2, 3),
)
_SESSION = _scope(
    "session-2-lateness-3-retracting",
    WindowSetup(Session(2), allowed_lateness=3, accumulation="accumulating-and-retracting"),
    (0, 2, 4),
    (1, 3, 5, 6),
)

WINDOW = Component(
    name="window",
    title="a window operator",
    setup=WindowSetup,
    scenario=WindowScenario,
    calls={
        RecordStep: lambda windows, step: windows.record(from_wire(step.timestamp), step.value),
        WatermarkStep: lambda windows, step: windows.watermark(from_wire(step.timestamp)),
        IdleStep: lambda windows, step: windows.idle(),
        ActiveStep: lambda windows, step: windows.active(),
        ExpiredStateStep: lambda windows, step: windows.expired_state(),
    },
    module=windows,
    build=_build,
    drawn=True,
    draw_setup=draw_setup,
    draw_step=draw_step,
    alphabet=_alphabet,
    covers={
        "smoke": (_SESSION,),
        "default": (_TUMBLING, _SLIDING, _SESSION),
        "thorough": (_TUMBLING, _SLIDING, _SESSION),
    },
    simplify=simplify,
    properties=PROPERTIES,
    scale=SCALE,
    endurance=ENDURANCE,
    mutants=WINDOW_MUTANTS,
    narrowing=NARROWING,
)
