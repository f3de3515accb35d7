"""Independent engines for five components of Tidegauge, from the text of its chapters alone."""
from tidegauge import ComponentAdapter
from tidegauge.wire.steps.backlog import DetectorSetup

from .backlog import Combiner, Detector
from .base import MAX, MIN  # noqa: F401
from .coordinator import Coordinator
from .low_watermark import LowWatermark
from .source import Source
from .window import Window


class Base(ComponentAdapter):
    """`parts` replaces classes of the engine under test."""

    name, version = "w2", "1"
    extras = ("snapshot", "int64", "watermark-lag")


class Good(Base):
    name = "w2-good"
    Source, Coordinator, LowWatermark, Detector, Combiner, Window = (
        Source, Coordinator, LowWatermark, Detector, Combiner, Window)

    def source(self, s):
        return self.Source(s.generator, s.max_out_of_orderness, s.idle_timeout, s.aligned, s.can_pause,
                           s.allow_unaligned_splits, s.per_split_outputs, s.buffer_size, s.start)

    def coordinator(self, s):
        return self.Coordinator(s.sources)

    def low_watermark(self, s):
        return self.LowWatermark(s.vertices)

    def backlog(self, s):
        return self.Detector() if isinstance(s, DetectorSetup) else self.Combiner(s.channels, s.without_strategy)

    def window(self, s):
        return self.Window(s.assigner, s.allowed_lateness, s.trigger, s.accumulation, s.late_output)
