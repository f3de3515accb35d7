from .base import MAX, MIN, IllegalArgument, Stateful, plus


class Src:
    def __init__(self, source, name, group, drift, subtasks):
        self.id, self.name, self.group, self.drift, self.subtasks = source, name, group, drift, subtasks
        self.reports = {}  # subtask -> watermark
        self.running = set()


class Coordinator(Stateful):
    def __init__(self, sources):
        self.sources = {}
        for s in sources:
            self.start(s.source, s.name, s.watermark_group, s.max_allowed_watermark_drift, s.subtasks)
            self.sources[s.source].running.update(range(s.subtasks))

    # steps
    def start(self, source, name, watermark_group, max_allowed_watermark_drift, subtasks):
        if source in self.sources or max_allowed_watermark_drift < 0 or subtasks < 1:
            raise IllegalArgument("start")
        self.sources[source] = Src(source, name, watermark_group, max_allowed_watermark_drift, subtasks)
        return []

    def report(self, source, subtask, watermark):
        s = self.aligned(source, subtask)
        if watermark != MIN:
            self.store(s, subtask, watermark)
        return []

    def finish(self, source, subtask):
        self.store(self.aligned(source, subtask), subtask, MAX)
        return []

    def ready(self, source, subtask):
        self.find(source, subtask).running.add(subtask)
        return []

    def failed(self, source, subtask):
        self.find(source, subtask).running.discard(subtask)
        return []

    def reset(self, source, subtask):
        self.find(source, subtask).running.discard(subtask)
        return []

    def restart(self, source):
        self.find(source).running.clear()
        return []

    def announce(self, source):
        s = self.find(source)
        bound = self.bound(s)
        if bound is None:
            return []
        return [("announcement", bound, f"{s.id}/{i}") for i in self.receivers(s)]

    # inner
    def find(self, source, subtask=0):
        s = self.sources.get(source)
        if s is None or not 0 <= subtask < s.subtasks:
            raise IllegalArgument(f"unknown {source}/{subtask}")
        return s

    def aligned(self, source, subtask):
        s = self.find(source, subtask)
        if s.group is None:
            raise IllegalArgument("a source without alignment reports nothing")
        return s

    def store(self, s, subtask, watermark):
        s.reports[subtask] = watermark

    def receivers(self, s):
        return sorted(s.running)

    def members(self, s):
        return [] if s.group is None else [m for m in self.sources.values() if m.group == s.group]

    def minimum(self, m):
        """Of one source: None without reports; MAX when nobody takes part."""
        return min(m.reports.values(), default=None)

    def group_minimum(self, s):
        return min((x for x in map(self.minimum, self.members(s)) if x is not None), default=None)

    def bound(self, s):
        least = self.group_minimum(s)
        return None if least is None else plus(least, s.drift)
