"""The jobs of the suite in words: what each is, and what its picture shows of a right engine."""

from dataclasses import dataclass

from ..text import short

_LONGEST_NAME = 80


@dataclass(frozen=True)
class JobWords:
    """A title, a sentence, and the sources that are in another group than the one the band is of."""

    title: str
    sentence: str
    outside: tuple[str, ...] = ()


_WORDS = {
    "flip-182": JobWords(
        "The FLIP-182 job",
        "Subtask 0 is slow; with alignment the others run into the upper edge of the band, are blocked, and "
        "from then on advance as subtask 0 does.",
    ),
    "flip-182-restarted": JobWords(
        "The FLIP-182 job, stopped and started again",
        "The job is stopped and started again halfway: with alignment the other subtasks must stay in the "
        "band across the restart.",
    ),
    "flip-182-literal": JobWords(
        "The FLIP-182 job to the letter: one range, split in four",
        "Here the range decides, not the speed: with alignment only the subtask with the lowest numbers "
        "continues reading, and all others are blocked after their first records.",
    ),
    "short-subtask": JobWords(
        "A subtask that finishes early",
        "The slow subtask finishes early: the others are blocked until then, and must continue when it has "
        "finished.",
    ),
    "two-sources-one-query": JobWords(
        "Two sources of one group, in one query",
        "The slowest subtask belongs to one source: with alignment the subtasks of the other source must not "
        "leave it behind either.",
    ),
    "two-sources-two-queries": JobWords(
        "Two sources of one group, in two queries",
        "The slowest subtask belongs to the source of one query: with alignment the source of the other "
        "query must not leave it behind either.",
    ),
    "two-groups": JobWords(
        "Two sources in different groups",
        "The band is that of the group of the source with the slow subtask: the other source is in another "
        "group and must not be held back by it.",
        ("apart",),
    ),
    "window-state": JobWords(
        "The state of windows",
        "A fast and a slow source feed windows that wait for the slow one: with alignment the fast source "
        "must not run ahead, so the windows keep few records.",
    ),
    "window-state-restarted": JobWords(
        "The state of windows, stopped and started again",
        "The same job is stopped and started again halfway: the records in the windows must be neither lost "
        "nor duplicated.",
    ),
    "blocked-is-not-idle": JobWords(
        "A source that is blocked is not idle",
        "Alignment blocks A for longer than its idle timeout, while B repeats one event time and then jumps "
        "ahead. If A were treated as idle, its next records would be too late for their windows.",
    ),
    "blocked-is-not-idle-moving": JobWords(
        "A source that is blocked is not idle, while the other advances",
        "As before, but B advances by a few seconds before it jumps: A stays blocked and must not be "
        "treated as idle.",
    ),
    "backpressured-is-not-idle": JobWords(
        "A source under backpressure is not idle",
        "Downstream takes nothing of A from 5 s to 15 s, longer than its idle timeout. If A were treated as "
        "idle, its next records would be too late for their windows.",
    ),
    "backpressured-sooner-is-not-idle": JobWords(
        "Two sources under backpressure, one sooner",
        "Downstream takes nothing of A from 5 s to 15 s, and nothing of B from 9 s on: neither is idle.",
    ),
    "slow-and-fast": JobWords(
        "A slow and a fast subtask",
        "The job that others are derived from, with event times moved, records delayed, repeated or "
        "exchanged: the outputs must change accordingly, and in nothing else.",
    ),
    "slow-and-fast-windows": JobWords(
        "A slow and a fast subtask, with windows",
        "The fast subtask runs into the upper edge of the band and is blocked; windows keep what it read "
        "ahead.",
    ),
    "slow-and-fast-out-of-order": JobWords(
        "A slow and a fast subtask, records out of order",
        "As before, with a watermark strategy for records out of order.",
    ),
    "silent-is-idle": JobWords(
        "A source that has nothing to read is idle",
        "A has nothing to read for longer than its idle timeout: windows must not wait for it, nor keep more "
        "and more records of B.",
    ),
    "silent-is-idle-aligned": JobWords(
        "A source that has nothing to read is idle, with alignment",
        "A has nothing to read for longer than its idle timeout: neither the windows nor alignment may wait "
        "for it.",
    ),
    "silent-is-idle-restarted": JobWords(
        "A source that has nothing to read is idle, over a restart",
        "The job is stopped and started again while A has nothing to read: after it, too, the windows must "
        "not wait for A.",
    ),
}


def place(name: str) -> int:
    """Where a job stands among the others: those that are known come first, in the order of this file."""
    return list(_WORDS).index(name) if name in _WORDS else len(_WORDS)


def job_words(name: str) -> JobWords:
    """The words for a job; for one that is not known, its name."""
    if name in _WORDS:
        return _WORDS[name]
    title = short(name, _LONGEST_NAME).replace("-", " ").strip()
    return JobWords(
        f"Job {title}" if title else "A job without a name",
        "The event time of each subtask over processing time.",
    )
