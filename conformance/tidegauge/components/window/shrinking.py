"""Smaller histories of windows: plainer numbers, all of event time moved towards 0, plainer setups."""

from msgspec.structs import asdict, replace

from ...wire.steps.window import RecordStep, Sliding, WatermarkStep, WindowSetup
from ...wire.vocabulary import Step
from ..shared.simplification import plainer_numbers
from .moving import moved, period

_MOST_WINDOWS_OF_A_RECORD = 5
"""A small slide of large windows is plainer in numbers only."""

_PLAINEST = WindowSetup.__struct_defaults__


def simplify(setup: WindowSetup, history: tuple[Step, ...]) -> list[tuple[WindowSetup, tuple[Step, ...]]]:
    """Candidates that do the same with simpler numbers and choices."""
    candidates = plainer_numbers(setup, history)
    times = [
        step.timestamp
        for step in history
        if isinstance(step, RecordStep | WatermarkStep) and isinstance(step.timestamp, int)
    ]
    if times:
        towards_zero = -(min(times) // period(setup)) * period(setup)
        candidates.append((setup, tuple(moved(step, towards_zero) for step in history)))
    candidates += [(plainer, history) for plainer in _plainer(setup)]
    return candidates


def _plainer(setup: WindowSetup) -> list[WindowSetup]:
    found = [
        replace(setup, assigner=replace(setup.assigner, **{name: plainer}))
        for name, number in asdict(setup.assigner).items()
        for plainer in {0 if name == "offset" else 1, number - 1}
        if plainer >= (name != "offset")
    ]
    found += [
        replace(setup, **{name: plainest})
        for name, plainest in zip(setup.__struct_fields__[1:], _PLAINEST, strict=True)
    ]
    if setup.allowed_lateness:
        found.append(replace(setup, allowed_lateness=setup.allowed_lateness - 1))
    return [plainer for plainer in found if _windows_of_a_record(plainer) <= _MOST_WINDOWS_OF_A_RECORD]


def _windows_of_a_record(setup: WindowSetup) -> int:
    assigner = setup.assigner
    return -(-assigner.size // assigner.slide) if isinstance(assigner, Sliding) else 1
