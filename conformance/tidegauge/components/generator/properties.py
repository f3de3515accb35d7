"""What must be true of inputs with generators, whatever else they do; no reference is asked.

A record is late when its timestamp is not greater than the last watermark before it.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from ...wire.scenario import Scenario
from ...wire.steps.generator import AdvanceStep, FinishStep, GeneratorSetup, RecordStep, StartStep, TickStep
from ...wire.timestamps import MIN, from_wire
from ...wire.transcript import Transcript
from ...wire.vocabulary import Record, Step, Watermark
from ..property import Holds, Property
from ..shared.properties import (
    goes_back,
    output_increases,
    outputs_of,
    same_in_all,
    status_alternates,
    uninterrupted,
    with_restores,
)


def _setup(scenario: Scenario) -> GeneratorSetup:
    assert isinstance(scenario.setup, GeneratorSetup)
    return scenario.setup


def _late(transcript: Transcript) -> int:
    """How many records are late."""
    watermark, late = MIN, 0
    for output in outputs_of(transcript):
        if isinstance(output, Watermark):
            watermark = max(watermark, from_wire(output.timestamp))
        elif isinstance(output, Record) and watermark > MIN:
            late += from_wire(output.timestamp) <= watermark
    return late


def _with_history(scenario: Scenario, history: Sequence[Step]) -> list[Scenario]:
    return [replace(scenario, history=tuple(history), groups=(), needs=())] if history else []


def _plain(scenario: Scenario) -> list[Step]:
    """Records, ticks and processing time only: one run of one generator."""
    kinds = (RecordStep, TickStep, AdvanceStep, FinishStep)
    return [
        step
        for step in scenario.history
        if isinstance(step, kinds)
        and getattr(step, "timestamp", 0) not in ("MIN", "MAX")
        and getattr(step, "milliseconds", 0) >= 0
    ]


def _within_the_bound(scenario: Scenario) -> tuple[list[Step], int]:
    """The plain history in which no record is further behind the largest before it than the bound (of 0:
    an ordered one), and the largest timestamp in it."""
    history: list[Step] = []
    largest = MIN
    for step in _plain(scenario):
        if isinstance(step, RecordStep):
            allowed = max(from_wire(step.timestamp), largest - _setup(scenario).max_out_of_orderness)
            largest = max(largest, allowed)
            history.append(RecordStep(allowed))
        else:
            history.append(step)
    return history, largest


def _is_perfect(setup: GeneratorSetup) -> bool:
    """Whether the setup promises that no record within the bound is late."""
    from_the_clock = setup.kind == "processing-time" and setup.assigner == "ingestion-time"
    return setup.kind == "bounded-out-of-orderness" or from_the_clock


def _kept_bound(scenario: Scenario) -> list[Scenario]:
    if not _is_perfect(_setup(scenario)):
        return []
    return _with_history(scenario, _within_the_bound(scenario)[0])


def _perfect(_: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    if not any(isinstance(output, Watermark) for played in transcripts[1:] for output in outputs_of(played)):
        return None
    return _late(transcripts[1]) == 0


def _broken_bound(scenario: Scenario) -> list[Scenario]:
    """Within the bound, then a tick, one record 1 ms beyond the bound and one just within it."""
    setup = _setup(scenario)
    history, largest = _within_the_bound(scenario)
    if setup.kind != "bounded-out-of-orderness" or setup.assigner != "record-time" or largest == MIN:
        return []
    oldest = largest - setup.max_out_of_orderness
    return _with_history(scenario, [*history, TickStep(), RecordStep(oldest - 1), RecordStep(oldest)])


def _heuristic(_: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    return _late(transcripts[1]) == 1 if transcripts[1:] else None


def _timeless(scenario: Scenario) -> list[Scenario]:
    """The plain history, and the same without any processing time that passes."""
    setup, history = _setup(scenario), _plain(scenario)
    by_the_clock = setup.kind == "processing-time" or setup.assigner == "ingestion-time"
    if by_the_clock or setup.idle_timeout is not None:
        return []
    still = [step for step in history if not isinstance(step, AdvanceStep)]
    return _with_history(scenario, history) + _with_history(scenario, still) if still else []


def _data_driven(_: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    if not transcripts[1:] or not any(isinstance(output, Watermark) for output in outputs_of(transcripts[1])):
        return None
    return same_in_all(transcripts[1], transcripts[2])


def _one_run_in_mid_pipeline(scenario: Scenario) -> bool:
    again = goes_back(scenario) or any(isinstance(step, StartStep) for step in scenario.history)
    return _setup(scenario).place == "mid-pipeline" and not again


def _output_increases(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    return output_increases(scenarios, transcripts) if _one_run_in_mid_pipeline(scenarios[0]) else None


def _status_alternates(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    return status_alternates(scenarios, transcripts) if _one_run_in_mid_pipeline(scenarios[0]) else None


PROPERTIES = (
    Property(
        name="generator-perfect",
        sentence="No record within the bound is late; nor is any on ingestion time with periodic watermarks.",
        rules=("GEN-8", "GEN-5", "GEN-3", "GEN-1"),
        holds=_perfect,
        holds_under={},
        variants=_kept_bound,
    ),
    Property(
        name="generator-heuristic",
        sentence="A record beyond the bound is late, and no other record.",
        rules=("GEN-9", "GEN-3", "GEN-5"),
        holds=_heuristic,
        holds_under={},
        variants=_broken_bound,
    ),
    Property(
        name="generator-data-driven",
        sentence="Processing time does not change the watermarks of a data-driven generator.",
        rules=("GEN-6", "GEN-2"),
        holds=_data_driven,
        holds_under={},
        variants=_timeless,
    ),
    Property(
        name="generator-output-increases",
        sentence="In mid-pipeline the output watermark strictly increases.",
        rules=("GEN-11",),
        holds=_output_increases,
        holds_under={},
    ),
    Property(
        name="generator-status-alternates",
        sentence="In mid-pipeline IDLE and ACTIVE alternate, and IDLE is the first.",
        rules=("GEN-11",),
        holds=_status_alternates,
        holds_under={},
    ),
    Property(
        name="generator-snapshot-restore",
        sentence="A snapshot and a restore before every step change nothing.",
        rules=("GEN-2", "GEN-11", "GEN-12"),
        holds=uninterrupted,
        holds_under={},
        variants=with_restores,
        needs=("snapshot",),
    ),
)
