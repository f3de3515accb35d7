"""Wrong alignment: coordinators, sources and jobs."""

from .mutant import Mutant


def _job(
    name: str, module: str, rules: tuple[str, ...], bug: str, summary: str, *replacements: tuple[str, str]
) -> Mutant:
    return Mutant(f"job-{name}", "job", module, rules, bug, summary, replacements)


JOB_MUTANTS = (
    _job(
        "never-blocks",
        "source",
        ("SOURCE-1",),
        "A12",
        "A source reads on whatever its bound.",
        ('if cite("SOURCE-1", crossing < limit - 1):', "if False:"),
    ),
    _job(
        "blocks-the-slowest",
        "coordinator",
        ("SOURCE-2",),
        "A33",
        "The subtask that holds the minimum is blocked.",
        (
            "return [(subtask, bound) for subtask in range(own.subtasks)]",
            "return [\n"
            "            (subtask, minimum - 1 if own.reports.get(subtask) == minimum else bound)\n"
            "            for subtask in range(own.subtasks)\n"
            "        ]",
        ),
    ),
    _job(
        "never-resumes",
        "source",
        ("SOURCE-3",),
        "A19",
        "A subtask keeps its first bound.",
        (
            "        self.bound = bound\n\n    def state",
            "        self.bound = min(self.bound, bound)\n\n    def state",
        ),
    ),
    _job(
        "aligned-without-alignment",
        "job",
        ("SOURCE-4",),
        "A26",
        "Sources without a group are aligned with one another, with a drift of 0.",
        (
            "            if source.group is not None:\n",
            "            if True:\n",
        ),
        (
            "self.coordinators.start(source.name, source.group, drift,",
            'self.coordinators.start(source.name, source.group or "", drift,',
        ),
        (
            "SourceSubtask(subtask.first, subtask.end, source.group is not None)",
            "SourceSubtask(subtask.first, subtask.end, True)",
        ),
    ),
    _job(
        "fastest-subtask-counts",
        "coordinator",
        ("ALIGN-1",),
        "A16",
        "The minimum of a source is the largest watermark of its subtasks.",
        ("return min(waited_for, default=MAX)", "return max(waited_for, default=MAX)"),
    ),
    _job(
        "ignores-other-sources",
        "coordinator",
        ("ALIGN-2",),
        "A17",
        "A coordinator does not know of the other sources of its group.",
        ("minimum = min(other.minimum() for other in group)", "minimum = own.minimum()"),
    ),
    _job(
        "one-group-for-all",
        "coordinator",
        ("ALIGN-3",),
        "A13",
        "All sources are one group.",
        ('if name == source or not cite("ALIGN-3", other.group != own.group)', "if True"),
    ),
    _job(
        "no-drift",
        "coordinator",
        ("ALIGN-4",),
        "A19",
        "The bound is the minimum; the drift is forgotten.",
        ("bound = min(minimum + own.max_allowed_watermark_drift, MAX)", "bound = minimum"),
    ),
    _job(
        "waits-for-the-finished",
        "coordinator",
        ("ALIGN-5",),
        "FLINK-32414",
        "A finished subtask stays in the minimum, so the others wait for it for ever.",
        ('if not cite("ALIGN-5", subtask in self.finished)', "if True"),
    ),
    _job(
        "loses-records",
        "job",
        ("JOB-1",),
        "a batch that is read and not committed",
        "Now and then what a subtask has read does not come out.",
        (
            "                if numbers is None:\n",
            "                if numbers is None or (numbers[0] > 0 and numbers[0] % 7000 == 0):\n",
        ),
    ),
    _job(
        "forgets-on-restart",
        "job",
        ("JOB-4",),
        "state kept in the reader and not in the offset",
        "A restarted job starts from the beginning.",
        (
            "        for key, subtask in self.subtasks.items():\n"
            "            fresh.subtasks[key].restore(subtask.state())\n",
            "",
        ),
    ),
)
