from tidegauge import ComponentAdapter, IllegalArgument, IllegalState, Unsupported
from fastclock import Clock
from facade import KitIdleness, KitInput, KitSource, KitSplits
from valve import Valve
from coordinator import Coordinators
from low import Service
from backlog import Combiner, Detector
from window import Windows
ERR = {ValueError: IllegalArgument, RuntimeError: IllegalState, NotImplementedError: Unsupported}
class Base(ComponentAdapter):
    version = "1"
    extras = ("snapshot", "int64", "watermark-lag")
    errors = ERR
class Good(Base):
    name = "good"
    def valve(self, setup): return Valve(setup.channels)
    def clock(self, setup): return Clock(setup.nanoseconds)
    def idleness(self, setup): return KitIdleness(setup)
    def generator(self, setup): return KitInput(setup)
    def splits(self, setup): return KitSplits(getattr(setup, "inputs", None))
    def source(self, setup): return KitSource(setup)
    def coordinator(self, setup): return Coordinators(setup)
    def low_watermark(self, setup): return Service(setup)
    def backlog(self, setup): return Combiner(setup.channels, setup.without_strategy) if hasattr(setup, "channels") else Detector()
    def window(self, setup): return Windows(setup)
