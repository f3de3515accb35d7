"""Shared by the six modules: bases that take a setup, and the book of engines."""
import copy
from good import Base
from base import MAX, MIN, Saved, bad, misuse, sat
from fastclock import STOPS, Clock
import facade
from facade import KitIdleness, KitInput, KitSource, KitSplits
from making import AfterSilence, Bounded, Watched
from generator import Input
from splits import Combination
from valve import Channel, Valve, wanted
from coordinator import Coordinators
from low import Service
from backlog import Combiner, Detector
from window import Windows

class More:
    def more(self): pass
    def restore(self, saved):
        super().restore(copy.deepcopy(saved)); self.lose()
    def lose(self): pass
class ClockB(More, Clock):
    def __init__(self, s): super().__init__(s.nanoseconds); self.more()
class IdleB(More, KitIdleness):
    watched = Watched
    def __init__(self, s): super().__init__(s); self.gen.__class__ = self.watched; self.more()
    def on_event(self, timestamp): return self.record(timestamp)
    def on_periodic_emit(self): return self.tick()
class GenB(More, Input):
    def __init__(self, s): self.more(); super().__init__(s)
class Comb(Combination):
    def __init__(self): super().__init__(); self.more()
    def more(self): pass
class SplitB(More, KitSplits):
    comb = Comb
    def __init__(self, s):
        self.c = self.comb(); self.more()
        for i in range(getattr(s, "inputs", None) or 0): self.c.join(i)
class ValveB(More, Valve):
    def __init__(self, s): super().__init__(s.channels); self.more()
class SourceB(More, KitSource):
    def __init__(self, s): super().__init__(s); self.more()
class CoordB(More, Coordinators):
    def __init__(self, s): self.initial = {x.source for x in s.sources}; self.more(); super().__init__(s)
    def last(self, group):
        """reports in force of a group: {(source, subtask): watermark}"""
        return {(s, i): v for what, s, i, v in self.log if what == "report" and self.sources[s][0] == group}
    def group(self, source): return self.sources[source][0]
class LowB(More, Service):
    def __init__(self, s): super().__init__(s); self.more()
class DetB(More, Detector):
    def __init__(self, s): super().__init__(); self.more()
class CombinerB(More, Combiner):
    def __init__(self, s): super().__init__(s.channels, s.without_strategy); self.more()
    def number(self, c):
        if not 0 <= c < len(self.last): raise bad("channel")
class WinB(More, Windows):
    def __init__(self, s): super().__init__(s); self.more()

class Build(facade.Build):
    def __getattr__(self, name):
        if name.startswith("_"): raise AttributeError(name)
        def call(*args): getattr(self.of, name)(*args); return self
        return call
class Wrap(KitInput):
    def __init__(self, s): self.__dict__["i"] = self.of(s)
    @property
    def strategy(self): return Build(self.i)
    @strategy.setter
    def strategy(self, built): pass

def factory(cls):
    if issubclass(cls, Input): return type(cls.__name__ + "W", (Wrap,), {"of": cls})
    if issubclass(cls, Combiner): return lambda s: cls(s) if hasattr(s, "channels") else Detector()
    if issubclass(cls, Detector): return lambda s: Combiner(s.channels, s.without_strategy) if hasattr(s, "channels") else cls(s)
    return cls

def book(ns, klass):
    """@engine(name, component, rules, description, setup, *steps): fills D and SHOW, makes E<name>."""
    D, SHOW = ns.setdefault("D", {}), ns.setdefault("SHOW", {})
    def engine(name, component, rules, text, setup, *steps):
        def deco(cls):
            assert name not in D
            D[name] = (component, tuple(rules.split()), text, klass)
            SHOW[name] = (setup, [s if isinstance(s, tuple) else (s,) for s in steps])
            make = factory(cls)
            ns["E" + name] = type("E" + name, (Base,), {
                "__module__": ns["__name__"], "__doc__": text, "name": name, component: lambda self, s, make=make: make(s)})
            return cls
        return deco
    return engine
