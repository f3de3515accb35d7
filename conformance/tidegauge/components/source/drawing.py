"""Random source subtasks and steps that matter to them."""

from typing import Any

from tidegauge_reference.source_operator import MAIN

from ...wire.steps.source import (
    ActiveStep,
    AdvanceStep,
    AnnouncementStep,
    AssignStep,
    BackpressureStep,
    EndOfInputStep,
    FinishStep,
    IdleStep,
    RecordStep,
    ReportStep,
    SourceSetup,
    TickStep,
    WatermarkStep,
)
from ...wire.timestamps import MAX, MIN, to_wire
from ...wire.vocabulary import Step
from ..shared.random_source import RandomSource

SPLITS = ("a", "b", "c")


def draw_setup(random: RandomSource) -> SourceSetup:
    """A subtask, mostly with alignment, outputs for splits, and a reader that can pause."""
    return SourceSetup(
        generator=random.pick(("bounded-out-of-orderness", "punctuated", "punctuated", "none")),
        max_out_of_orderness=random.pick((0, 0, 1, 5)),
        idle_timeout=random.pick((None, 5, 20)),
        aligned=random.chance(90),
        can_pause=random.chance(75),
        allow_unaligned_splits=random.chance(50),
        per_split_outputs=random.chance(80),
        buffer_size=random.below(3),
        start=random.pick((0, 0, 1000)),
    )


def draw_step(random: RandomSource, source: Any) -> Step:
    """A step for the subtask as it stands: `source` is the reference's."""
    if source.finished and not random.chance(10):
        return random.pick((ReportStep(), ReportStep(), ReportStep(), TickStep()))
    if random.chance(8 if source.assigned else 60):
        return _assignment(random, source)
    if source.assigned and _idle_together(source) and random.chance(60):
        return FinishStep(random.pick(sorted(source.assigned)))
    if source.emitter.is_idle and not source.settings.per_split_outputs and random.chance(40):
        return TickStep()
    if random.chance(25) and (rare := _rare_steps(random, source)):
        return random.pick(rare)
    if _counting_down(source) and random.chance(50 if source.settings.per_split_outputs else 75):
        return _idling(random, source)
    kind = random.below(100)
    if kind < (30 if source.emitter.is_idle else 10):
        return ReportStep()
    if kind < 26:
        return _announcement(random, source)
    if kind < 48:
        return _waiting(random)
    split = random.pick((*SPLITS, None) if random.chance(5) else (*sorted(source.assigned), None))
    if kind < 60:
        return _written(random, source, split)
    return RecordStep(split, "MIN" if random.chance(1) else _timestamp(random, source, split))


def _rare_steps(random: RandomSource, source: Any) -> list[Step]:
    """Steps that go on from a state which seldom comes: a paused split becomes idle, or is idle when a bound
    admits it; an output counts down while the reader is kept from it, and then is not; the last split on a
    shared output that is idle finishes."""
    parts, alignment = source.splits.parts, source.alignment
    paused = sorted(alignment.paused.intersection(parts))
    steps: list[Step] = []
    for split in paused:
        within = AnnouncementStep(to_wire(min(MAX, int(parts[split].watermark) + random.below(2))))
        steps.append(within if parts[split].idle else IdleStep(split))
    if _counting_down(source) and (paused or alignment.blocked):
        steps += [AdvanceStep(21), AdvanceStep(21), TickStep(), AnnouncementStep("MAX")]
    if source.emitter.is_idle and source.settings.aligned:
        steps.append(_announcement(random, source))
    return steps


def _idle_together(source: Any) -> bool:
    """Whether the splits share an output, and its idle timeout has fired."""
    return not source.settings.per_split_outputs and bool(getattr(source.generators[MAIN], "idle", False))


def _assignment(random: RandomSource, source: Any) -> Step:
    """A split that is new, or now and then one that is not."""
    new = [split for split in SPLITS if split not in source.assigned]
    return AssignStep(random.pick(new if new and not random.chance(5) else SPLITS))


def _counting_down(source: Any) -> bool:
    """Whether the idle timeout of an output has begun to run."""
    return any(getattr(made, "countdown", None) is not None for made in source.generators.values())


def _timed_out(source: Any) -> bool:
    """Whether the idle timeout of an output has passed, which the next tick finds."""
    counting = (made for made in source.generators.values() if getattr(made, "countdown", None) is not None)
    return any(made.clock.read() - made.countdown > made.timeout for made in counting)


def _idling(random: RandomSource, source: Any) -> Step:
    """Time passes, perhaps while the reader is kept from reading, and a generator looks at its clock."""
    if source.backpressured or source.alignment.blocked or source.alignment.paused:
        toggled = BackpressureStep(not source.backpressured)
        return random.pick((TickStep(), TickStep(), AdvanceStep(100), AdvanceStep(100), toggled))
    if random.chance(60 if source.settings.per_split_outputs else 90):
        tick = random.chance(90 if _timed_out(source) else 30)
        return TickStep() if tick else AdvanceStep(random.pick((1, 5, 6, 20, 21)))
    return random.pick((BackpressureStep(True), _announcement(random, source)))


def _announcement(random: RandomSource, source: Any) -> Step:
    """A bound around the watermark of the subtask or of a split, or none."""
    known = [part.watermark for part in source.splits.parts.values()]
    stands = random.pick((source.emitter.maximum, *known))
    if stands in (MIN, MAX) or random.chance(12):
        return AnnouncementStep(to_wire(random.pick((MIN, MAX, MAX, 0))))
    return AnnouncementStep(to_wire(stands + random.between(-3, 4)))


def _waiting(random: RandomSource) -> Step:
    """A tick; now and then time that goes back or stands still."""
    return AdvanceStep(random.pick((-1, -1, 0))) if random.chance(4) else TickStep()


def _written(random: RandomSource, source: Any, split: str | None) -> Step:
    """The reader's own word on an output, the end of a split, or of everything."""
    kind = random.below(100)
    if kind < 25 and split is not None:
        return FinishStep(split)
    if kind < 31:
        return EndOfInputStep()
    if kind < 55:
        return WatermarkStep(split, "MAX" if random.chance(9) else _timestamp(random, source, split))
    return IdleStep(split) if kind < 85 else ActiveStep(split)


def _timestamp(random: RandomSource, source: Any, split: str | None) -> int | str:
    """Around what the output, or the subtask, has already."""
    part = source.splits.parts.get(split or "")
    known = part.watermark if part is not None and random.chance(60) else source.emitter.maximum
    return to_wire(int(known if known not in (MIN, MAX) else 10) + random.between(-1, 6))
