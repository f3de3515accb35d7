"""Engines that output what the reference does, and whose state grows with everything they have done."""

from __future__ import annotations

from tidegauge.mutants.mutant import Mutant


def _leaking(
    component: str, module: str, summary: str, event: str, kept: str, restoring: tuple[str, str]
) -> Mutant:
    """The reference that at `event`, a line of its source, also keeps `kept`, in its snapshot too."""
    line = event.strip()
    indent = event[: len(event) - len(line)]
    return Mutant(
        f"{component.replace('_', '-')}-leaks",
        component,
        module,
        (),
        "a list that nobody empties",
        summary,
        (
            (f"{event}\n", f"{event}\n{indent}self.kept = (*getattr(self, 'kept', ()), {kept})\n"),
            (
                "    snapshot = state\n",
                "    def snapshot(self):\n        return self.state(), getattr(self, 'kept', ())\n",
            ),
            restoring,
        ),
    )


def _restored_at(rule: str) -> tuple[str, str]:
    return f'cite("{rule}")\n', "saved, self.kept = saved\n"


LEAKING = (
    _leaking(
        "clock",
        "clock",
        "Pauses that have ended are kept.",
        "        left.remove(reason)",
        "reason",
        _restored_at("CLOCK-6"),
    ),
    _leaking(
        "generator",
        "strategy",
        "The time of each record is kept.",
        "        assigned = ASSIGNERS.get(assigner, assigner)(timestamp, self.now)",
        "assigned",
        (
            "        strategy, self.strategy, self.now, clock, generator, emitted = saved\n",
            "        saved, self.kept = saved\n"
            "        strategy, self.strategy, self.now, clock, generator, emitted = saved\n",
        ),
    ),
    _leaking(
        "idleness",
        "idleness",
        "The time of each record is kept.",
        "        self.heard, self.idle = True, False",
        "timestamp",
        _restored_at("IDLE-7"),
    ),
    _leaking(
        "splits",
        "splits",
        "The names of splits that are finished are kept.",
        "        self.parts.pop(split, None)",
        "split",
        _restored_at("SPLIT-13"),
    ),
    _leaking(
        "valve",
        "valve",
        "Each watermark of a channel is kept.",
        "        source.watermark = timestamp",
        "timestamp",
        _restored_at("VALVE-23"),
    ),
    _leaking(
        "source",
        "source_operator",
        "The names of splits that are finished are kept.",
        "        self.assigned -= {split}",
        "split",
        (
            "        own, splits, aligned, samples, writers = saved\n",
            "        if len(saved) == 2:\n"
            "            saved, self.kept = saved\n"
            "        own, splits, aligned, samples, writers = saved\n",
        ),
    ),
    _leaking(
        "coordinator",
        "coordinator",
        "Each report is kept.",
        "        reports = own.reports | {subtask: watermark}",
        "(subtask, watermark)",
        (
            "        self.sources, self.passed_on = dict(saved[0]), dict(saved[1])\n",
            "        saved, self.kept = saved\n"
            "        self.sources, self.passed_on = dict(saved[0]), dict(saved[1])\n",
        ),
    ),
    _leaking(
        "low_watermark",
        "low_watermark",
        "The results of rounds are kept.",
        "        vertex.result = lowest",
        "lowest",
        _restored_at("LOW-16"),
    ),
    _leaking(
        "backlog",
        "backlog",
        "Each watermark is kept.",
        "        self.lag_from = timestamp",
        "timestamp",
        _restored_at("BACKLOG-11"),
    ),
    _leaking(
        "window",
        "windows",
        "The bounds of windows that are over are kept.",
        "                del self.windows[window]",
        "window",
        _restored_at("WIN-16"),
    ),
)
"""One a component."""
