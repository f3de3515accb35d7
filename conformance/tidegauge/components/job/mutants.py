"""Wrong alignment: coordinators, sources and jobs."""

from ...mutants.mutant import Mutant


def _job(
    name: str, module: str, rules: tuple[str, ...], bug: str, summary: str, *replacements: tuple[str, str]
) -> Mutant:
    return Mutant(
        name=f"job-{name}",
        component="job",
        module=module,
        rules=rules,
        bug=bug,
        summary=summary,
        replacements=replacements,
    )


JOB_MUTANTS = (
    _job(
        "never-blocks",
        "source_operator",
        ("SOURCE-1", "JOB-9"),
        "A12",
        "A source continues reading, whatever its bound.",
        (
            'self.blocked = not ended and not cite("SOURCE-2", watermark <= self.bound)',
            "self.blocked = False",
        ),
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
        (
            'smallest("ALIGN-1", counting)',
            "max(counting, default=MAX)",
        ),
    ),
    _job(
        "ignores-other-sources",
        "coordinator",
        ("ALIGN-2",),
        "A17",
        "A coordinator ignores the other sources of its group.",
        ("minimum = self._group_minimum(group)", "minimum = self._minimum(source)"),
    ),
    _job(
        "one-group-for-all",
        "coordinator",
        ("ALIGN-3",),
        "A13",
        "All sources are one group.",
        ('if not cite("ALIGN-3", self.sources[n].group != own.group)', "if True"),
    ),
    _job(
        "no-drift",
        "coordinator",
        ("ALIGN-4",),
        "A19",
        "The bound is the minimum without the drift.",
        ("bound = later(minimum, own.drift)", "bound = minimum"),
    ),
    _job(
        "waits-for-the-finished",
        "coordinator",
        ("ALIGN-5",),
        "A16",
        "A finished subtask stays in the minimum, so the others wait forever.",
        (
            '        watermark = latest("ALIGN-8", own.reports.get(subtask, watermark), watermark)\n',
            "        watermark = own.reports.get(subtask, watermark) if watermark == MAX else watermark\n",
        ),
    ),
    _job(
        "drift-added-twice",
        "job",
        ("JOB-2", "ALIGN-4"),
        "A19",
        "The coordinator announces the minimum with the drift, and the subtask adds the drift again.",
        (
            "self.operators[key].announcement(bound))",
            "self.operators[key].announcement(bound + self.coordinators.sources[source.name].drift))",
        ),
    ),
    _job(
        "drops-while-blocked",
        "job",
        ("JOB-3", "JOB-1"),
        "A12",
        "Records that the reader hands out while the subtask is blocked are dropped.",
        (
            "while not operator.alignment.blocked and (timestamp := next(records, None)) is not None:",
            "for timestamp in records:",
        ),
    ),
    _job(
        "own-watermark-counts",
        "coordinator",
        ("JOB-5", "ALIGN-4", "JOB-2", "JOB-6", "JOB-9"),
        "A19",
        "The drift is added to the subtask's own watermark, so that no subtask ever exceeds its bound.",
        (
            'return [("announcement", bound, f"{source}/{subtask}") for subtask in receivers]',
            "bounds = {n: later(own.reports.get(n, minimum), own.drift) for n in receivers}\n"
            '        return [("announcement", bounds[n], f"{source}/{n}") for n in receivers]',
        ),
    ),
    _job(
        "thirty-two-bits",
        "source_operator",
        ("JOB-6",),
        "A27",
        "Only the lower 32 bits of the watermark are compared with the bound.",
        (
            "self.blocked, self.counted(MAIN, emitted)",
            "self.blocked, self.counted(MAIN, emitted) & (2**32 - 1)",
        ),
    ),
    _job(
        "loses-records",
        "job",
        ("JOB-1", "JOB-10"),
        "a batch that is read and not committed",
        "Some records that a subtask has read are not output.",
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
        "FLINK-35886",
        "The idle timeout keeps running while alignment blocks the source.",
        ("blocked = everywhere and self.alignment.blocked", "blocked = False"),
    ),
    _job(
        "backpressured-is-idle",
        "source_operator",
        ("JOB-8",),
        "FLINK-35886",
        "The idle timeout keeps running while the source is under backpressure.",
        ("kept_from = self.backpressured or blocked", "kept_from = blocked"),
    ),
    _job(
        "fastest-source-counts",
        "job",
        ("JOB-10",),
        "E29",
        "The watermark downstream is the largest of all sources.",
        ("self.valve = Valve(len(self.channels))", "self.valve = Valve(1)"),
        ("getattr(self.valve, name)(self.channels[key], *fields)", "getattr(self.valve, name)(0, *fields)"),
    ),
    _job(
        "bound-from-zero",
        "coordinator",
        ("ALIGN-4",),
        "A19",
        "A minimum before 1970 counts as 0.",
        ("        bound = later(", "        minimum = max(0, minimum)\n        bound = later("),
    ),
    _job(
        "windows-rounded-towards-zero",
        "windows",
        ("JOB-10",),
        "E5",
        "The start of a window is rounded towards 0, so that before 1970 it is that of the next window.",
        (
            "timestamp - (timestamp - self.offset) % self.slide",
            "self.offset + int((timestamp - self.offset) / self.slide) * self.slide",
        ),
    ),
    _job(
        "silent-left-out",
        "coordinator",
        ("ALIGN-1",),
        "A16",
        "A subtask whose report has not changed is excluded from the minimum.",
        ("{subtask: watermark}", "{subtask: MAX if own.reports.get(subtask) == watermark else watermark}"),
    ),
    _job(
        "repetition-dropped",
        "job",
        ("JOB-1", "JOB-10"),
        "SPARK-PR-56043",
        "A record with the timestamp of the one before is dropped.",
        (
            "            self._take(key, now, operator.record(None, timestamp))\n",
            "            if timestamp != vars(feed).get('last'):\n"
            "                self._take(key, now, operator.record(None, timestamp))\n"
            "            feed.last = timestamp\n",
        ),
    ),
    _job(
        "first-subtask-counts",
        "coordinator",
        ("ALIGN-1",),
        "A16",
        "The watermark of subtask 0 is used as the minimum of its source.",
        ("for subtask in subtasks]", "for subtask in subtasks if subtask == 0]"),
    ),
    _job(
        "order-expected",
        "strategy",
        ("JOB-10",),
        "E20",
        "The records are assumed to be in order, whatever out-of-orderness the source expects.",
        ("BoundedOutOfOrderness(self.bound)", "BoundedOutOfOrderness(0)"),
    ),
    _job(
        "never-idle",
        "job",
        ("JOB-11",),
        "E42",
        "The clocks of the idle timeouts do not advance: a silent source holds back the others until it "
        "returns.",
        ("            operator.advance(self.job.resolution)\n", "            operator.advance(0)\n"),
    ),
    _job(
        "idleness-not-passed-on",
        "job",
        ("JOB-11",),
        "E44",
        "A source becomes idle, but IDLE is not sent downstream.",
        ('elif name in ("watermark", "idle", "active"):', 'elif name in ("watermark", "active"):'),
    ),
    _job(
        "return-not-passed-on",
        "job",
        ("JOB-11", "JOB-10"),
        "E46",
        "A source that returns stays excluded from the minimum, and its records are late.",
        ('elif name in ("watermark", "idle", "active"):', 'elif name in ("watermark", "idle"):'),
    ),
    _job(
        "idle-at-a-pause",
        "idleness",
        ("JOB-11",),
        "B1",
        "Any two quiet probes make an input idle, whatever its timeout.",
        ("now - started > self.timeout", "now - started > 0"),
    ),
)
