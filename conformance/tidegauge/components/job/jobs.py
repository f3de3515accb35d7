"""The jobs of the suite. Times in ms, one record for each ms of event time."""

from msgspec.structs import replace

from ...scenario import JobScenario, Origin
from .vocabulary import JobSetup, SourceSetup, SubtaskSetup

DRIFT = 30_000
_RECORDS = 60_000
_SLOW, _FAST = 1, 10


def _subtasks(*rates: int, ends: tuple[int, ...] = ()) -> tuple[SubtaskSetup, ...]:
    limits = ends or tuple(_RECORDS for _ in rates)
    return tuple(SubtaskSetup(0, end, rate) for rate, end in zip(rates, limits, strict=True))


def _source(
    name: str, subtasks: tuple[SubtaskSetup, ...], group: str = "group-1", query: str = "query"
) -> SourceSetup:
    return SourceSetup(name, subtasks, group, DRIFT, query)


_FOUR = _subtasks(_SLOW, _FAST, _FAST, _FAST)
_QUARTER = 2**61
_UNTIL = 3 * _RECORDS
"""Three times as long as a right engine needs."""


_JOBS = (
    JobSetup("flip-182", (_source("numbers", _FOUR),), _UNTIL),
    JobSetup("flip-182-restarted", (_source("numbers", _FOUR),), _UNTIL, restarts=(12_000, 34_000)),
    JobSetup(
        "flip-182-literal",
        (
            _source(
                "numbers",
                tuple(
                    SubtaskSetup(
                        index * _QUARTER if index == 0 else str(index * _QUARTER),
                        "MAX" if index == 3 else str((index + 1) * _QUARTER),
                        _SLOW if index == 0 else _FAST,
                    )
                    for index in range(4)
                ),
            ),
        ),
        until=24_000,
        endless=True,
        split_range=True,
    ),
    JobSetup(
        "short-subtask",
        (_source("numbers", _subtasks(_SLOW, _FAST, _FAST, ends=(5_000, _RECORDS, _RECORDS))),),
        _UNTIL,
    ),
    JobSetup(
        "two-sources-one-query",
        (_source("fast", _subtasks(_FAST, _FAST)), _source("slow", _subtasks(_SLOW, _FAST))),
        _UNTIL,
    ),
    JobSetup(
        "two-sources-two-queries",
        (
            _source("fast", _subtasks(_FAST, _FAST), query="first"),
            _source("slow", _subtasks(_SLOW, _FAST), query="second"),
        ),
        _UNTIL,
    ),
    JobSetup(
        "two-groups",
        (
            _source("apart", _subtasks(_FAST, _FAST), group="group-2"),
            _source("slow", _subtasks(_SLOW, _FAST)),
        ),
        _UNTIL,
    ),
)


def _scenario(setup: JobSetup) -> JobScenario:
    needs = ["restart"] if setup.restarts else []
    if setup.split_range:
        needs.append("int64")
    return JobScenario(
        id=f"job:{setup.name}", setup=setup, needs=tuple(needs), origin=Origin("vector", of="FLIP-182")
    )


JOBS = {setup.name: _scenario(setup) for setup in _JOBS}
"""The suite's jobs by name."""


def control(scenario: JobScenario) -> JobScenario:
    """The same job without alignment and without restarts."""
    sources = tuple(
        replace(source, watermark_group=None, max_allowed_watermark_drift=0)
        for source in scenario.setup.sources
    )
    setup = replace(scenario.setup, sources=sources, restarts=())
    needs = tuple(need for need in scenario.needs if need != "restart")
    return replace(scenario, id=f"{scenario.id}:control", setup=setup, needs=needs)
