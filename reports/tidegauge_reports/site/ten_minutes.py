"""What the page "Event time in ten minutes" takes from the specification: golden vectors for its figures and
questions, and the words of other systems."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tidegauge.vectors.published import Vector, every_vector
from tidegauge_spec import load_registry

from .vector_tables import VectorTable, vector_table

ASKED = ("valve/essay-resumed-in-time", "coordinator/kafka-and-files", "window/essay-one-millisecond")
"""Golden vectors that the page does not show, for the reader to predict."""

SYSTEMS = ("Flink", "Spark", "Beam", "Kafka Streams")


@dataclass(frozen=True)
class Words:
    """How each of `SYSTEMS` calls a thing, or does without it; `chapters` specify it."""

    thing: str
    chapters: tuple[str, ...]
    said: tuple[str, str, str, str]


WORDS = (
    Words(
        "watermark",
        ("generator",),
        (
            "a watermark in the stream, from a `WatermarkStrategy`",
            "`withWatermark`: the largest event time less a delay, one value for a whole micro-batch",
            "the watermark of a PCollection, from the `WatermarkEstimator` of its source",
            "none; stream time is the largest timestamp that a task has seen",
        ),
    ),
    Words(
        "several inputs",
        ("splits", "valve"),
        (
            "the minimum of the active channels, kept by the `StatusWatermarkValve`",
            "`spark.sql.streaming.multipleWatermarkPolicy`: `min` or `max`; within one source the maximum of "
            "all partitions",
            "the minimum of the inputs",
            "the record with the smallest timestamp among the partitions of a task is next",
        ),
    ),
    Words(
        "idle",
        ("idleness", "clock"),
        (
            "`withIdleness`, the status IDLE",
            "none: an input without data takes part in the minimum",
            "the source itself advances the watermark of a part without data",
            "`max.task.idle.ms`: how long a task waits for a partition without data",
        ),
    ),
    Words(
        "alignment",
        ("source", "coordinator"),
        (
            "`withWatermarkAlignment`",
            "none; sources limit how much a micro-batch reads",
            "none",
            "none across tasks; within a task by the choice of the next record",
        ),
    ),
    Words(
        "a window is complete",
        ("window",),
        (
            "`EventTimeTrigger`: the watermark has reached the end less 1 ms",
            "append mode: the watermark has reached the end",
            "the trigger `AfterWatermark`",
            "stream time has reached the end plus the grace period; until then each record updates the "
            "result",
        ),
    ),
    Words(
        "allowed lateness",
        ("window",),
        (
            "`allowedLateness`; `sideOutputLateData` for what comes later still",
            "the delay of the watermark; later rows may be dropped",
            "`withAllowedLateness`",
            "the grace period",
        ),
    ),
)

PLACES = {
    "Above all sources": ("coordinator", "low_watermark"),
    "In a source subtask": ("clock", "generator", "idleness", "splits", "source", "backlog"),
    "In an operator": ("valve", "window"),
}
"""Where the components of chapters stand; all others are everywhere."""


def places() -> Mapping[str, Sequence[str]]:
    """The component of each chapter, by place."""
    placed = {component for components in PLACES.values() for component in components}
    return {**PLACES, "Everywhere": [name for name in load_registry().chapters if name not in placed]}


def shown_vector(name: str) -> Vector:
    """The golden vector of a figure."""
    return next(vector for vector in every_vector() if vector.id == name)


def asked_vectors() -> list[VectorTable]:
    """The questions: steps in words, and the outputs that are expected."""
    return [vector_table(shown_vector(name)) for name in ASKED]
