"""Wrong source subtasks."""

from ...mutants.mutant import MutantsOfModule, at_scale
from .mutants_of_scale import SOURCE_MUTANTS_OF_SCALE

_source = MutantsOfModule("source", "source_operator")

SOURCE_MUTANTS = (
    _source(
        "equal-is-beyond",
        ("SOURCE-2",),
        "B9",
        "A subtask whose watermark equals its bound is blocked.",
        ('cite("SOURCE-2", watermark <= self.bound)', "(watermark < self.bound)"),
    ),
    _source(
        "waits-for-ever",
        ("SOURCE-3",),
        "A12",
        "A blocked subtask stays blocked, whatever bound is announced.",
        (
            "self.blocked = not ended and not cite(",
            "self.blocked = was_blocked or not cite(",
        ),
    ),
    _source(
        "polls-while-blocked",
        ("SOURCE-1",),
        "A20",
        "The subtask reports that it is blocked and continues reading.",
        ('return None if cite("SOURCE-1", self.alignment.blocked) else output', "return output"),
    ),
    _source(
        "delayed-by-samples",
        ("SOURCE-1", "SOURCE-9"),
        "the sample buffer of Flink 2.3.0",
        "The watermark of some update intervals ago is compared with the bound.",
        ('if self.policies.source_aligned_watermark != "newest":', "if True:"),
    ),
    _source(
        "idle-is-blocked",
        ("SOURCE-2", "SOURCE-3"),
        "FLINK-32496",
        "An idle subtask compares MAX with the bound and stays blocked forever.",
        (
            "emitted, parts = self.emitter.maximum, ",
            "emitted, parts = MAX if self.emitter.is_idle else self.emitter.maximum, ",
        ),
    ),
    _source(
        "deaf-while-idle",
        ("SOURCE-3", "SOURCE-1"),
        "FLINK-29099",
        "An idle subtask ignores announcements, and its next record is compared with an old bound.",
        (
            'if over or (not obeys and cite("SOURCE-4")):',
            'if over or self.emitter.is_idle or (not obeys and cite("SOURCE-4")):',
        ),
    ),
    _source(
        "reports-the-generator",
        ("SOURCE-6", "SOURCE-7"),
        "A14",
        "A report carries the watermark of the fastest split instead of the one that was emitted.",
        (
            '("report", self.emitter.maximum if waited_for else MAX)',
            '("report", max(newest.watermark for newest in [*self.splits.parts.values(), Part(MIN)]))',
        ),
    ),
    _source(
        "reports-min",
        ("SOURCE-7",),
        "FLINK-32414",
        "Before its first watermark a subtask reports MIN.",
        ('if cite("SOURCE-7", self.emitter.maximum == MIN):', "if False:"),
    ),
    _source(
        "idle-holds-the-others",
        ("SOURCE-8", "SOURCE-6"),
        "FLINK-25982",
        "An idle subtask reports its last watermark, and the others wait for it.",
        ('cite("SOURCE-6", not cite("SOURCE-8", self.emitter.is_idle))', "True"),
    ),
    _source(
        "single-split-runs-on",
        ("SOURCE-9",),
        "FLINK-36751",
        "A single split is not paused.",
        (
            'if cite("SOURCE-9", split not in idle)}',
            "if split not in idle and len(splits) > 1}",
        ),
    ),
    _source(
        "idle-split-is-paused",
        ("SOURCE-9",),
        "FLINK-39073",
        "A split is paused although it is idle, and not only when it is active again.",
        (' if cite("SOURCE-9", split not in idle)}', "}"),
    ),
    _source(
        "splits-run-on",
        ("SOURCE-9",),
        "FLINK-28853",
        "The subtask is compared with the bound, but its splits are not.",
        (' if cite("SOURCE-9", split not in idle)}', " if False}"),
    ),
    _source(
        "fetched-goes-out",
        ("SOURCE-11",),
        "A24",
        "Already fetched records of a paused split are output.",
        ('paused = cite("SOURCE-11", split in self.alignment.paused)', "paused = False"),
    ),
    _source(
        "idle-split-stays-paused",
        ("SOURCE-10",),
        "FLINK-40093",
        "A paused split that has become idle is not resumed.",
        ('if self.policies.source_idle_paused_split == "stays" else set()', "if True else set()"),
    ),
    _source(
        "pause-is-ignored",
        ("SOURCE-12",),
        "FLINK-28853",
        "A reader that cannot pause splits is silently accepted.",
        ('if cite("SOURCE-12", not self.settings.allow_unaligned_splits):', "if False:"),
    ),
    _source(
        "clock-runs-while-blocked",
        ("SOURCE-13",),
        "FLINK-35886",
        "Alignment does not stop the activity clocks: blocked outputs time out.",
        (
            "kept_from = self.backpressured or blocked or output in self.alignment.paused",
            "kept_from = self.backpressured",
        ),
    ),
    _source(
        "clock-runs-under-backpressure",
        ("SOURCE-13",),
        "FLINK-35886",
        "Backpressure does not stop the activity clocks.",
        ("kept_from = self.backpressured or blocked", "kept_from = blocked"),
    ),
    _source(
        "clock-of-a-paused-split-runs",
        ("SOURCE-13",),
        "FLINK-36751",
        "The activity clock of a paused split runs unless the whole subtask is blocked.",
        (" or output in self.alignment.paused", ""),
    ),
    _source(
        "paused-span-counts-later",
        ("SOURCE-13",),
        "time that is made up for",
        "The activity clock of a blocked output stops, but makes up for that time when it runs again.",
        (
            '            if not cite("SOURCE-13", kept_from):\n'
            "                clock.advance(milliseconds * 10**6)\n",
            '            if cite("SOURCE-13", kept_from):\n'
            '                vars(clock)["slept"] = vars(clock).get("slept", 0) + milliseconds * 10**6\n'
            "            else:\n"
            '                clock.advance(milliseconds * 10**6 + vars(clock).pop("slept", 0))\n',
        ),
    ),
    _source(
        "records-under-idle",
        ("SOURCE-5",),
        "FLINK-40504",
        "Only an advancing watermark ends idleness, records go downstream under IDLE.",
        ('if cite("SOURCE-5", idle) and self.policies.idleness_ends_with == "record":', "if False:"),
    ),
    _source(
        "watermark-before-record",
        ("SOURCE-5",),
        "A12",
        "The watermark of a record goes out before the record.",
        ('before("SOURCE-5", [("record", timestamp)], brought)', '[*brought, ("record", timestamp)]'),
    ),
    _source(
        "never-ends",
        ("SOURCE-14",),
        "FLINK-3554",
        "The end of input is not sent downstream.",
        (
            "[*self.emitter.watermark(MAX)] if ends_all",
            "[] if ends_all",
        ),
    ),
    _source(
        "end-swallowed-while-idle",
        ("SOURCE-14",),
        "FLINK-40499",
        "An idle subtask does not become active for MAX, so that its end is dropped downstream.",
        (
            "*self.emitter.watermark(MAX)] if ends_all",
            "*([] if self.emitter.is_idle else self.emitter.watermark(MAX))] if ends_all",
        ),
    ),
    _source(
        "empty-never-ends",
        ("SOURCE-14",),
        "BEAM-29558",
        "A subtask that has emitted no watermark does not send MAX at its end either.",
        (
            "*self.emitter.watermark(MAX)] if ends_all",
            "*(self.emitter.watermark(MAX) if self.emitter.maximum > MIN else [])] if ends_all",
        ),
    ),
    _source(
        "reads-on-after-its-end",
        ("SOURCE-16",),
        "FLINK-14239",
        "Remaining records at the end of the input go out after MAX, and are late.",
        (
            'if cite("SOURCE-16", self.finished):\n            raise IllegalState',
            "if False:\n            raise IllegalState",
        ),
    ),
    _source(
        "assigned-twice-starts-anew",
        ("SOURCE-16",),
        "A23",
        "A split that is assigned again gets a new generator, which has lost its largest timestamp.",
        ("split in (MAIN, *self.assigned)", "split == MAIN"),
        ("self.splits.add(split))", "self.splits.add(split) if split not in self.splits.parts else [])"),
    ),
    _source(
        "restored-unbound",
        ("SOURCE-17",),
        "A12",
        "After a restart a subtask reads without a bound until the next announcement.",
        (
            "    snapshot = state\n",
            "    def snapshot(self):\n"
            "        own, splits, aligned, samples, writers = self.state()\n"
            "        return own, splits, (MAX, *aligned[1:]), samples, writers\n",
        ),
    ),
    _source(
        "finished-before-the-restart",
        ("SOURCE-17",),
        "FLINK-23708",
        "A subtask that had ended before a restart has no watermark after it, and MAX is not sent again.",
        (
            "        self.alignment.samples = dict(samples)\n",
            "        self.alignment.samples = dict(samples)\n"
            "        if self.finished:\n"
            "            self.finished, self.emitter.maximum = False, MIN\n",
        ),
    ),
    _source(
        "shared-output-said-it-once",
        ("SOURCE-15", "IDLE-1"),
        "a flag that outlives what it was about",
        "The next split gets a generator that has sent IDLE and does not send it again: the split is "
        "never idle.",
        (
            "            self._open(MAIN)  # the next split begins anew\n",
            "            pass\n",
        ),
    ),
    _source(
        "shared-output-keeps-its-clock",
        ("SOURCE-15",),
        "B2",
        "The output that splits share stays as it was while no split is assigned, and the time counts: the "
        "next split is idle at once.",
        (
            'cite("SOURCE-15", not self.assigned):',
            'cite("SOURCE-15", not self.assigned and self.generators[MAIN].idle):',
        ),
    ),
    _source(
        "main-output-apart",
        ("SOURCE-15",),
        "A3",
        "The main output is not in the minimum: the larger of its watermark and that of the splits goes out.",
        (
            "output == MAIN and not self.apart and",
            "output == MAIN and not self.settings.per_split_outputs and",
        ),
    ),
    _source(
        "reports-without-alignment",
        ("SOURCE-4",),
        "A26",
        "A source without alignment reports and obeys like any other.",
        ('if cite("SOURCE-4", not self.settings.aligned):', "if False:"),
        ('(not obeys and cite("SOURCE-4"))', "False"),
    ),
    _source(
        "does-nothing",
        (),
        "an unfinished subtask",
        "Every step is accepted and nothing is ever output.",
        ('"""The reader gets a split; from now on it is waited for."""', "return []"),
        ('"""The reader has read all of a split; it is not waited for any more."""', "return []"),
        (
            '"""The reader has a record of `timestamp` (ms; `MIN`: none), read if that is allowed."""',
            "return []",
        ),
        ('"""The reader itself writes a watermark, IDLE or ACTIVE."""', "return []"),
        (
            '"""Time for periodic watermarks: every generator has its turn, then the splits are combined."""',
            "return []",
        ),
        ('"""An update interval has passed: the coordinator is told how far the subtask is."""', "return []"),
        ('"""The coordinator announces the watermark (ms) up to which the subtask may read."""', "return []"),
        (
            '"""So much time passes; it does not count for an output that the reader is kept from."""',
            "return []",
        ),
        ('"""The reader has no more records or splits; while it is blocked it is not asked."""', "return []"),
    ),
    _source(
        "asks-only-the-output-of-the-record",
        ("SOURCE-5",),
        "a conforming engine's first version",
        "A record of an output that is finished leaves an idle subtask without ACTIVE before it.",
        (
            "idle = self.emitter.is_idle or (output in self.splits.parts",
            "idle = (output in self.splits.parts",
        ),
    ),
    _source(
        "one-split-pauses",
        ("SOURCE-9",),
        "a loop that ends too early",
        "Of the splits that are to pause in a step only the first by name does.",
        (
            "beyond = sorted(ahead - self.paused - {MAIN})",
            "beyond = sorted(ahead - self.paused - {MAIN})[:1]",
        ),
    ),
    at_scale(
        "names",
        _source(
            "paused-in-the-order-of-numbers",
            ("SOURCE-9",),
            "names in another order",
            "Splits that pause together are named in the order of their length.",
            (
                '[("splits-paused", tuple(sorted(pausing)))]',
                '[("splits-paused", tuple(sorted(pausing, key=lambda split: (len(split), split))))]',
            ),
        ),
    ),
    at_scale(
        "65-splits",
        _source(
            "eight-splits-pause",
            ("SOURCE-9",),
            "an array of fixed length",
            "No more than eight splits pause in one step.",
            (
                "pausing = {split for split in beyond if cite",
                "pausing = {split for split in beyond[:8] if cite",
            ),
        ),
    ),
    at_scale(
        "at-MIN",
        _source(
            "bound-as-a-double",
            ("SOURCE-1",),
            "doubles for whole numbers",
            "The bound is kept as a double, which is exact up to 2^53.",
            ("self.alignment.bound = bound\n", "self.alignment.bound = int(float(bound))\n"),
        ),
    ),
    *SOURCE_MUTANTS_OF_SCALE,
)
