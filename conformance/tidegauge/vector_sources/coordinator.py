"""Vectors of source coordinators, worked out from FLIP-182 and from known defects. All times in ms."""

from ..vectors import Vector
from ..wire.steps.coordinator import (
    AnnounceStep,
    CoordinatorScenario,
    CoordinatorSetup,
    FailedStep,
    FinishStep,
    ReadyStep,
    ReportStep,
    ResetStep,
    RestartStep,
    StartedSource,
    StartStep,
)
from ..wire.vocabulary import Announcement, Error, Restore, Snapshot
from .written import Line, vector

_REFUSED = Error("illegal-argument")


def _source(
    identity: str, subtasks: int = 1, drift: int = 1000, group: str | None = "group-1", name: str = ""
) -> StartedSource:
    return StartedSource(identity, name or identity, group, drift, subtasks)


def _report(source: str, subtask: int, watermark: int | str) -> Line:
    return Line(ReportStep(source, subtask, watermark), ())


def _announce(source: str, bound: int | str | None = None, *subtasks: int) -> Line:
    """The bound goes to these subtasks; to subtask 0 if none is named; to nobody without a bound."""
    told = () if bound is None else subtasks or (0,)
    return Line(
        AnnounceStep(source), tuple(Announcement(bound or 0, f"{source}/{subtask}") for subtask in told)
    )


def _vector(
    name: str,
    title: str,
    source: str,
    rules: tuple[str, ...],
    sources: tuple[StartedSource, ...],
    lines: list[Line],
    needs: tuple[str, ...] = (),
) -> Vector:
    return vector(CoordinatorScenario, name, title, source, rules, CoordinatorSetup(sources), lines, needs)


VECTORS = (
    _vector(
        "one-source",
        "Within one source: the slowest of three subtasks decides, and all of them are told",
        "A6, A14, A15, A16, A18, A19",
        ("ALIGN-1", "ALIGN-4", "ALIGN-9"),
        (_source("numbers", 3, drift=30_000),),
        [
            _report("numbers", 0, 999),
            _report("numbers", 1, 59_999),
            _report("numbers", 2, 61_000),
            _announce("numbers", 30_999, 0, 1, 2),
            _report("numbers", 0, 1_999),
            _report("numbers", 1, 70_000),
            _announce("numbers", 31_999, 0, 1, 2),
        ],
    ),
    _vector(
        "kafka-and-files",
        "Across two sources: the slower one decides for both, each adds its own drift",
        "A7, A17, A19",
        ("ALIGN-2", "ALIGN-4"),
        (_source("kafka", drift=1000), _source("files", drift=30)),
        [
            _report("kafka", 0, 500),
            _announce("kafka", 1500),
            _report("files", 0, 40),
            _announce("kafka", 1040),
            _announce("files", 70),
            _report("files", 0, 900),
            _announce("kafka", 1500),
            _announce("files", 530),
        ],
    ),
    _vector(
        "blocked-at-1042",
        "The example of the FLIP on idleness: one split at 1042 s, one at 1000 s, a drift of 30 s",
        "A18, A19, B7, B8, B9",
        ("ALIGN-1", "ALIGN-4", "ALIGN-8"),
        (_source("numbers", 2, drift=30_000),),
        [
            _report("numbers", 0, 1_042_000),
            _report("numbers", 1, 1_000_000),
            _announce("numbers", 1_030_000, 0, 1),
            _report("numbers", 1, 1_005_000),
            _announce("numbers", 1_035_000, 0, 1),
            _report("numbers", 1, 5_000_000),
            _announce("numbers", 1_072_000, 0, 1),
        ],
    ),
    _vector(
        "two-groups",
        "A slow source of another group, with the same name, is none of its business",
        "A13",
        ("ALIGN-3", "ALIGN-4"),
        (_source("orders", name="Kafka"), _source("clicks", group="group-2", name="Kafka")),
        [
            _report("clicks", 0, 5),
            _announce("orders"),
            _report("orders", 0, 2000),
            _announce("orders", 3000),
            _announce("clicks", 1005),
        ],
    ),
    _vector(
        "drift-of-zero",
        "A drift of 0 is legal: the bound is the group minimum itself",
        "A8, A19, FLINK-35088",
        ("ALIGN-4", "ALIGN-13"),
        (),
        [
            Line(StartStep("orders", "orders", "group-1", -1, 1), (_REFUSED,)),
            Line(StartStep("orders", "orders", "group-1", 0, 1), ()),
            Line(ReadyStep("orders", 0), ()),
            _report("orders", 0, 7),
            _announce("orders", 7),
        ],
    ),
    _vector(
        "never-reported-FLINK-32414",
        "A subtask without a split and a source that is silent hold back nobody, and learn the bound",
        "A16, A18, FLINK-32414",
        ("ALIGN-6", "ALIGN-9", "ALIGN-10"),
        (_source("orders", 2, drift=10), _source("silent", drift=10)),
        [
            _announce("orders"),
            _announce("silent"),
            _report("orders", 0, 100),
            _announce("orders", 110, 0, 1),
            _announce("silent", 110),
        ],
    ),
    _vector(
        "report-of-MIN-FLINK-32414",
        "A report of MIN is none: it neither blocks the others nor replaces a watermark",
        "A14, FLINK-32414",
        ("ALIGN-6", "ALIGN-10"),
        (_source("orders", 2, drift=10), _source("payments", drift=10)),
        [
            _report("orders", 0, "MIN"),
            _announce("orders"),
            _report("payments", 0, 100),
            _announce("payments", 110),
            _report("payments", 0, "MIN"),
            _announce("payments", 110),
        ],
    ),
    _vector(
        "idle-and-back",
        "An idle subtask leaves the minimum; active again with its old watermark it takes the bound down",
        "A14, A16, FLINK-25982",
        ("ALIGN-7", "ALIGN-8"),
        (_source("orders", 2),),
        [
            _report("orders", 0, 42),
            _report("orders", 1, 44),
            _announce("orders", 1042, 0, 1),
            _report("orders", 0, "MAX"),
            _announce("orders", 1044, 0, 1),
            _report("orders", 0, 42),
            _announce("orders", 1042, 0, 1),
        ],
    ),
    _vector(
        "all-idle-FLINK-31632",
        "All idle: the bound is MAX, not a sum that wraps round; then it goes down again",
        "A19, FLINK-31632",
        ("ALIGN-7", "ALIGN-8", "ALIGN-4"),
        (_source("orders", 2, drift=10),),
        [
            _report("orders", 0, 5),
            _report("orders", 1, "MAX"),
            _report("orders", 0, "MAX"),
            _announce("orders", "MAX", 0, 1),
            _report("orders", 1, 3),
            _announce("orders", 13, 0, 1),
        ],
    ),
    _vector(
        "finished",
        "A finished subtask is not waited for; when all are finished the bound is MAX",
        "A12, A16",
        ("ALIGN-5", "ALIGN-1"),
        (_source("orders", 2, drift=10),),
        [
            _report("orders", 0, 100),
            _report("orders", 1, 900),
            _announce("orders", 110, 0, 1),
            Line(FinishStep("orders", 0), ()),
            _announce("orders", 910, 0, 1),
            Line(FinishStep("orders", 1), ()),
            _announce("orders", "MAX", 0, 1),
        ],
    ),
    _vector(
        "minimum-goes-down",
        "5 and 3, then 2: the group minimum follows the last reports down",
        "A12, A14",
        ("ALIGN-8",),
        (_source("orders", 2, drift=0),),
        [
            _report("orders", 0, 5),
            _report("orders", 1, 3),
            _announce("orders", 3, 0, 1),
            _report("orders", 1, 2),
            _announce("orders", 2, 0, 1),
        ],
    ),
    _vector(
        "failed-subtask-FLINK-32362",
        "A failed subtask is not told, the others are; its last report stays until it reports again",
        "A12, A18, FLINK-32362",
        ("ALIGN-9", "ALIGN-11"),
        (_source("orders", 3, drift=10),),
        [
            _report("orders", 0, 42),
            _report("orders", 1, 5000),
            _report("orders", 2, 6000),
            Line(FailedStep("orders", 0), ()),
            _announce("orders", 52, 1, 2),
            Line(ResetStep("orders", 0), ()),
            _announce("orders", 52, 1, 2),
            Line(ReadyStep("orders", 0), ()),
            _announce("orders", 52, 0, 1, 2),
            _report("orders", 0, 30),
            _announce("orders", 40, 0, 1, 2),
        ],
    ),
    _vector(
        "reset-subtask",
        "The slower source is reset: it goes on holding back the other, which must not run away from it",
        "A12, A17",
        ("ALIGN-11", "ALIGN-2"),
        (_source("orders", drift=10), _source("payments", drift=10)),
        [
            _report("orders", 0, 42),
            _report("payments", 0, 5000),
            Line(ResetStep("orders", 0), ()),
            _announce("orders"),
            _announce("payments", 52),
        ],
    ),
    _vector(
        "restarted-coordinator",
        "A coordinator that is made anew has the last reports, until its subtasks report again",
        "A12, A16",
        ("ALIGN-11", "ALIGN-9"),
        (_source("orders", 2, drift=10),),
        [
            _report("orders", 0, 100),
            _report("orders", 1, 200),
            Line(RestartStep("orders"), ()),
            _announce("orders"),
            Line(ReadyStep("orders", 0), ()),
            Line(ReadyStep("orders", 1), ()),
            _report("orders", 1, 190),
            _announce("orders", 110, 0, 1),
            _report("orders", 0, 95),
            _announce("orders", 105, 0, 1),
        ],
    ),
    _vector(
        "restored",
        "Coordinators restored from a snapshot know the reports of then",
        "A12, A16",
        ("ALIGN-11",),
        (_source("orders", 2, drift=10), _source("payments", drift=0)),
        [
            _report("orders", 0, 100),
            _report("payments", 0, 150),
            Line(Snapshot(), ()),
            _report("orders", 0, 300),
            Line(Restore(), ()),
            _announce("payments", 100),
            _report("orders", 1, 120),
            _announce("orders", 110, 0, 1),
        ],
        needs=("snapshot",),
    ),
    _vector(
        "same-name",
        "Two sources of one name in one group: both count, the later report does not replace the other",
        "A7, A17",
        ("ALIGN-12", "ALIGN-2"),
        (_source("a", name="Kafka"), _source("b", drift=30, name="Kafka")),
        [
            _report("a", 0, 100),
            _report("b", 0, 40),
            _announce("a", 1040),
            _announce("b", 70),
            _report("a", 0, 200),
            _announce("a", 1040),
            _announce("b", 70),
        ],
    ),
    _vector(
        "joins-later",
        "A source that is started later counts from its first report on",
        "A13, A17",
        ("ALIGN-2", "ALIGN-6", "ALIGN-9"),
        (_source("orders", drift=10),),
        [
            _report("orders", 0, 500),
            _announce("orders", 510),
            Line(StartStep("late", "late", "group-1", 20, 1), ()),
            _announce("late"),
            Line(ReadyStep("late", 0), ()),
            _announce("late", 520),
            _report("late", 0, 400),
            _announce("orders", 410),
        ],
    ),
    _vector(
        "refused",
        "Unknown sources and subtasks, and messages of a source without alignment, change nothing",
        "A8",
        ("ALIGN-13",),
        (_source("orders", 2), _source("free", group=None)),
        [
            _report("orders", 0, 100),
            Line(ReportStep("nobody", 0, 1), (_REFUSED,)),
            Line(ReportStep("orders", 2, 1), (_REFUSED,)),
            Line(ReportStep("orders", -1, 1), (_REFUSED,)),
            Line(ReportStep("free", 0, 1), (_REFUSED,)),
            Line(FinishStep("free", 0), (_REFUSED,)),
            Line(ReadyStep("orders", 2), (_REFUSED,)),
            Line(AnnounceStep("nobody"), (_REFUSED,)),
            Line(StartStep("orders", "other", "group-2", 5, 1), (_REFUSED,)),
            Line(StartStep("empty", "empty", "group-1", 5, 0), (_REFUSED,)),
            _announce("free"),
            _announce("orders", 1100, 0, 1),
        ],
    ),
)
"""Every step of these is worked out by hand."""
