"""Whole pipelines of Apache Beam over a stream of records and watermarks, on the direct runner."""

from __future__ import annotations

from collections.abc import Sequence

from tidegauge.wire.steps.window import RecordStep, Session, Tumbling, WatermarkStep, WindowSetup
from tidegauge.wire.timestamps import from_wire
from tidegauge.wire.vocabulary import Step

_RESULTS: list[tuple[int, int, list[int]]] = []


def results_of_pipeline(
    setup: WindowSetup, steps: Sequence[Step], trigger: str = "default"
) -> list[tuple[int, int, list[int]]]:
    """Start, end (ms) and values of each result, in order. The end of the input follows the steps."""
    import apache_beam
    from apache_beam.options.pipeline_options import PipelineOptions
    from apache_beam.runners.direct.direct_runner import BundleBasedDirectRunner
    from apache_beam.testing.test_stream import TestStream
    from apache_beam.transforms.trigger import AccumulationMode
    from apache_beam.transforms.window import FixedWindows, Sessions, TimestampedValue
    from apache_beam.utils.timestamp import Duration, Timestamp

    from tidegauge_adapters.beam.windows import TRIGGERS

    class Noting(apache_beam.DoFn):  # type: ignore[misc]
        def process(
            self, element: tuple[str, list[int]], window: object = apache_beam.DoFn.WindowParam
        ) -> None:
            note(element[1], window)

    stream = TestStream()
    for step in steps:
        if isinstance(step, RecordStep):
            time = Timestamp(micros=from_wire(step.timestamp) * 1_000)
            stream = stream.add_elements([TimestampedValue(("key", step.value), time)])
        elif isinstance(step, WatermarkStep):
            stream = stream.advance_watermark_to(Timestamp(micros=(from_wire(step.timestamp) + 1) * 1_000))
    assigner = setup.assigner
    assert isinstance(assigner, Session | Tumbling)
    length = assigner.gap if isinstance(assigner, Session) else assigner.size
    kind = Sessions if isinstance(assigner, Session) else FixedWindows
    _RESULTS.clear()
    with apache_beam.Pipeline(BundleBasedDirectRunner(), PipelineOptions(["--streaming"])) as pipeline:
        grouped = (
            pipeline
            | stream.advance_watermark_to_infinity()
            | apache_beam.WindowInto(
                kind(Duration(micros=length * 1_000)),
                trigger=TRIGGERS[trigger](),
                accumulation_mode=AccumulationMode.ACCUMULATING,
                allowed_lateness=Duration(micros=setup.allowed_lateness * 1_000),
            )
            | apache_beam.GroupByKey()
        )
        grouped | apache_beam.ParDo(Noting())
    return list(_RESULTS)


def note(values: list[int], window: object) -> None:
    """Keep a result. The runner copies what a pipeline calls, but not what a module holds."""
    start, end = (getattr(window, name).micros // 1_000 for name in ("start", "end"))
    _RESULTS.append((start, end, sorted(values)))
