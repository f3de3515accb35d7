"""Wrong source coordinators."""

from ...mutants.mutant import MutantsOfModule, at_scale
from .mutants_of_scale import COORDINATOR_MUTANTS_OF_SCALE

_coordinator = MutantsOfModule("coordinator", "coordinator")

_NOTHING = (
    '"""A source begins, aligned if it has a group; its subtasks do not run yet."""',
    '"""A subtask says which watermark (ms) it emitted last; `MAX`: do not wait for me."""',
    '"""A subtask has read all its records and gets no more."""',
    '"""A subtask runs and can be told its bound."""',
    '"""A subtask does not run any more; also: it is put back to a checkpoint."""',
    '"""The coordinator of a source is made anew, and all its subtasks are reset."""',
    '"""An update interval of a source is over: its subtasks are told their bound (ms)."""',
)

COORDINATOR_MUTANTS = (
    _coordinator(
        "fastest-subtask-counts",
        ("ALIGN-1",),
        "A16",
        "The minimum of a source is the largest watermark of its subtasks.",
        (
            'smallest("ALIGN-1", counting)',
            "max(counting, default=MAX)",
        ),
    ),
    _coordinator(
        "alone",
        ("ALIGN-2",),
        "A17",
        "A coordinator derives the bound from its own subtasks; the other sources of the group do not count.",
        (
            "minimum = self._group_minimum(group)",
            "minimum = self._minimum(source) if own.reports else max(map(self._minimum, group))",
        ),
    ),
    _coordinator(
        "one-group-for-all",
        ("ALIGN-3",),
        "A13",
        "All sources are one group.",
        ('if not cite("ALIGN-3", self.sources[n].group != own.group)', "if True"),
    ),
    _coordinator(
        "someone-elses-drift",
        ("ALIGN-4",),
        "A19",
        "The smallest drift in the group is added, not the source's own.",
        ("own.drift", "min(o.drift for o in self.sources.values() if o.group == own.group)"),
    ),
    _coordinator(
        "wraps-round",
        ("TIME-1",),
        "FLINK-31632",
        "When all subtasks are idle, MAX plus the drift overflows to a bound before all data, and all "
        "subtasks are blocked.",
        ("bound = later(minimum, own.drift)", "bound = (minimum + own.drift - MIN) % 2**64 + MIN"),
    ),
    _coordinator(
        "waits-for-the-finished",
        ("ALIGN-5",),
        "A16",
        "A finished subtask stays in the minimum, so the others wait forever.",
        ("self.report(source, subtask, MAX)", "pass"),
    ),
    _coordinator(
        "waits-for-the-silent",
        ("ALIGN-6",),
        "FLINK-32414",
        "A subtask that has not reported counts as MIN and blocks all subtasks.",
        (' if not cite("ALIGN-6", watermark == MIN)', ""),
    ),
    _coordinator(
        "believes-min",
        ("ALIGN-6",),
        "FLINK-32414",
        "A report of MIN, the start value, counts as a watermark.",
        ('self.policies.align_report_of_min == "ignored" and cite("ALIGN-6", watermark == MIN)', "False"),
    ),
    _coordinator(
        "waits-for-the-idle",
        ("ALIGN-7",),
        "FLINK-25982",
        "A report of MAX is ignored: an idle subtask holds the group at its last watermark.",
        (
            '        watermark = latest("ALIGN-8", own.reports.get(subtask, watermark), watermark)\n',
            "        watermark = own.reports.get(subtask, watermark) if watermark == MAX else watermark\n",
        ),
    ),
    _coordinator(
        "clamped",
        ("ALIGN-8",),
        "AGG-monotone",
        "The largest report of a subtask counts, so that the minimum never falls.",
        ("{subtask: watermark}", "{subtask: max(own.reports.get(subtask, watermark), watermark)}"),
    ),
    _coordinator(
        "announces-to-reporters",
        ("ALIGN-9",),
        "A18",
        "Only subtasks that have reported receive the bound; the others read without one.",
        ('self.policies.align_announced_subtasks == "reported"', "True"),
    ),
    _coordinator(
        "stumbles-over-the-failed",
        ("ALIGN-9",),
        "FLINK-32362",
        "Announcing ends at the first subtask that does not run.",
        (
            'receivers = [subtask for subtask in range(own.subtasks) if cite("ALIGN-9", subtask in told)]',
            "receivers = [n for n in range(own.subtasks) if told.issuperset(range(n + 1))]",
        ),
    ),
    _coordinator(
        "announces-twice",
        ("ALIGN-9",),
        "FLINK-32316",
        "A coordinator that is created again announces beside the one that it replaces.",
        (
            ("        own = self._known(source)\n        keeps ="),
            (
                '        vars(self).setdefault("made_anew", set()).add(source)\n'
                "        own = self._known(source)\n"
                "        keeps ="
            ),
        ),
        (
            "for subtask in receivers]",
            'for subtask in receivers * (2 if source in vars(self).get("made_anew", ()) else 1)]',
        ),
    ),
    _coordinator(
        "silent-after-the-last-split",
        ("ALIGN-9",),
        "FLINK-37670",
        "When a subtask gets no more splits, nothing is announced any more to the subtasks that still read.",
        ('        cite("ALIGN-5")\n', '        vars(self).setdefault("no_more_splits", set()).add(source)\n'),
        (
            'if cite("ALIGN-10", not group and not own.reports):',
            'ended = source in vars(self).get("no_more_splits", ())\n'
            "        ended = ended and min(own.reports.values(), default=MAX) < MAX\n"
            "        if ended or (not group and not own.reports):",
        ),
    ),
    _coordinator(
        "announces-early",
        ("ALIGN-10",),
        "A18",
        "A bound made of the initial value is announced before the first report.",
        ('if cite("ALIGN-10", not group and not own.reports)', "if False"),
    ),
    _coordinator(
        "forgets-the-failed",
        ("ALIGN-11",),
        "A12",
        "The report of a failed subtask does not count, and the others run ahead of it.",
        (
            "running=own.running - {subtask})",
            "running=own.running - {subtask},"
            " reports={n: own.reports[n] for n in own.reports if n != subtask})",
        ),
    ),
    _coordinator(
        "forgets-on-restart",
        ("ALIGN-11",),
        "A12",
        "A coordinator that is created again has no reports, and only the last minimum stays with the group.",
        ("own.reports if keeps else {}", "{}"),
    ),
    _coordinator(
        "forgets-on-restore",
        ("ALIGN-11",),
        "A12",
        "The minima that the sources passed on to their groups are not in the snapshot.",
        ("dict(saved[0]), dict(saved[1])", "dict(saved[0]), {}"),
    ),
    _coordinator(
        "knows-names-only",
        ("ALIGN-12",),
        "A17",
        "Sources with the same name overwrite each other's minimum.",
        ('self.policies.align_source_key == "identity"', "False"),
    ),
    _coordinator(
        "any-drift",
        ("ALIGN-13",),
        "FLINK-35088",
        "A negative drift is accepted.",
        ('        _refuse(drift < 0, f"max_allowed_watermark_drift {drift} is negative")\n', ""),
    ),
    _coordinator(
        "does-nothing",
        (),
        "unfinished coordinators",
        "Every step is accepted and nothing is ever output.",
        *((docstring, "return []") for docstring in _NOTHING),
    ),
    _coordinator(
        "first-source-counts",
        ("ALIGN-2",),
        "a map that is read by its first key",
        "The minimum of a group is that of its first source by identity.",
        (
            "names = [self.sources[source].name for source in group]",
            "group = sorted(group)[:1]\n        names = [self.sources[source].name for source in group]",
        ),
    ),
    at_scale(
        "33-subtasks",
        _coordinator(
            "of-three-subtasks",
            ("ALIGN-9",),
            "an array of fixed length",
            "Only the first three subtasks of a source are told their bound.",
            (
                "for subtask in range(own.subtasks) if cite",
                "for subtask in range(min(3, own.subtasks)) if cite",
            ),
        ),
    ),
    at_scale(
        "257-subtasks",
        _coordinator(
            "subtasks-in-a-byte",
            ("ALIGN-1",),
            "a number of 8 bits",
            "The report of subtask 256 replaces that of subtask 0.",
            (
                "reports = own.reports | {subtask: watermark}",
                "reports = own.reports | {subtask % 256: watermark}",
            ),
        ),
    ),
    at_scale(
        "65-sources",
        _coordinator(
            "thirty-two-sources",
            ("ALIGN-2",),
            "an array of fixed length",
            "Only the first 32 sources of a group count.",
            (
                "names = [self.sources[source].name for source in group]",
                "group = group[:32]\n        names = [self.sources[source].name for source in group]",
            ),
        ),
    ),
    *COORDINATOR_MUTANTS_OF_SCALE,
)
