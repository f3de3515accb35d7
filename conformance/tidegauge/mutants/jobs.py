"""Wrong alignment: coordinators, sources and jobs."""

from .mutant import Mutant


def _job(
    name: str, module: str, rules: tuple[str, ...], bug: str, summary: str, *replacements: tuple[str, str]
) -> Mutant:
    return Mutant(f"job-{name}", "job", module, rules, bug, summary, replacements)


JOB_MUTANTS = (
    _job(
        "never-blocks",
        "source_operator",
        ("SOURCE-1", "JOB-9"),
        "A12",
        "A source reads on whatever its bound.",
        ('self.blocked = not cite("SOURCE-2", watermark <= self.bound)', "self.blocked = False"),
    ),
    _job(
        "blocks-the-slowest",
        "coordinator",
        ("SOURCE-2",),
        "A33",
        "The subtask that holds the minimum is blocked.",
        (
            'return [("announcement", bound, f"{source}/{subtask}") for subtask in receivers]',
            "bounds = {n: minimum - 1 if own.reports.get(n) == minimum else bound for n in receivers}\n"
            '        return [("announcement", bounds[n], f"{source}/{n}") for n in receivers]',
        ),
    ),
    _job(
        "never-resumes",
        "source_operator",
        ("SOURCE-3",),
        "A19",
        "A subtask keeps its first bound.",
        ("self.alignment.bound = bound", "self.alignment.bound = min(self.alignment.bound, bound)"),
    ),
    _job(
        "aligned-without-alignment",
        "job",
        ("SOURCE-4",),
        "A26",
        "Sources without a group are aligned with one another, with a drift of 0.",
        ("source.strategy.alignment or (None, 0, 0)", 'source.strategy.alignment or ("", 0, 0)'),
    ),
    _job(
        "fastest-subtask-counts",
        "coordinator",
        ("ALIGN-1",),
        "A16",
        "The minimum of a source is the largest watermark of its subtasks.",
        ('min(waited_for) if cite("ALIGN-1", len(waited_for) > 1) else ', ""),
    ),
    _job(
        "ignores-other-sources",
        "coordinator",
        ("ALIGN-2",),
        "A17",
        "A coordinator does not know of the other sources of its group.",
        (
            'min(lows.values()) if cite("ALIGN-2", len(lows) > 1) else max(lows.values(), default=MIN)',
            "self._minimum(source)",
        ),
    ),
    _job(
        "one-group-for-all",
        "coordinator",
        ("ALIGN-3",),
        "A13",
        "All sources are one group.",
        ('if not cite("ALIGN-3", self.sources[o].group != own.group)', "if True"),
    ),
    _job(
        "no-drift",
        "coordinator",
        ("ALIGN-4",),
        "A19",
        "The bound is the minimum; the drift is forgotten.",
        ('later(minimum, own.drift) if cite("ALIGN-4", own.drift > 0) else minimum', "minimum"),
    ),
    _job(
        "waits-for-the-finished",
        "coordinator",
        ("ALIGN-5",),
        "FLINK-32414",
        "A finished subtask stays in the minimum, so the others wait for it for ever.",
        (
            "        last = own.reports.get(subtask, watermark)\n",
            "        last = own.reports.get(subtask, watermark)\n"
            "        watermark = last if watermark == MAX else watermark\n",
        ),
    ),
    _job(
        "loses-records",
        "job",
        ("JOB-1", "JOB-10"),
        "a batch that is read and not committed",
        "Now and then what a subtask has read does not come out.",
        (
            "            self._take(key, now, operator.record(None, timestamp))\n",
            "            if timestamp % 7000 != 3500:\n"
            "                self._take(key, now, operator.record(None, timestamp))\n",
        ),
    ),
    _job(
        "forgets-on-restart",
        "job",
        ("JOB-4",),
        "state kept in the reader and not in the offset",
        "A restarted job starts from the beginning.",
        ("            fresh.feeds[key].seek(positions[key])\n", ""),
    ),
    _job(
        "blocked-is-idle",
        "source_operator",
        ("JOB-7",),
        "B12",
        "The idle timeout runs on while alignment blocks the source.",
        ("blocked = everywhere and self.alignment.blocked", "blocked = False"),
    ),
    _job(
        "backpressured-is-idle",
        "source_operator",
        ("JOB-8",),
        "B17",
        "The idle timeout runs on while the source is under backpressure.",
        ("kept_from = self.backpressured or blocked", "kept_from = blocked"),
    ),
    _job(
        "fastest-source-counts",
        "job",
        ("JOB-10",),
        "E29",
        "Downstream time is the largest watermark of all sources.",
        ("self.valve = Valve(len(self.channels))", "self.valve = Valve(1)"),
        ("getattr(self.valve, name)(self.channels[key], *fields)", "getattr(self.valve, name)(0, *fields)"),
    ),
)
