"""What the event logs of a job and of another one made of it must show together.

Two runs of a conforming engine need not be the same at each moment: the progress of subtasks is compared
within the overshoot and the reaction time that the engine declares.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ...wire.timestamps import from_wire
from .job_property import JobRun, Seen, firings_text, name_of
from .log import Key
from .transformations import delay_of, shift_of

Outline = dict[int, int]
"""How often each number came out, by the places on the number line where that changes: {5: 1, 8: -1} is 5, 6
and 7, once each."""


@dataclass(frozen=True)
class Relation:
    """How the run of another job must relate to that of the first: `what` was done to it, in words, which of
    its subtasks do what a subtask of the first does, by how much event times are shifted (ms), how many
    `times` each record comes.

    The other job may be `slower` by so much processing time (ms), and `further` by so much event time (ms),
    beyond what the engine declares.
    """

    what: str
    partners: Mapping[Key, tuple[Key, ...]]
    shift: int = 0
    times: int = 1
    slower: int = 0
    further: int = 0


def delays_only(run: JobRun, control: JobRun) -> Seen:
    """With alignment against without."""
    return _records_differ(run, control, Relation("without alignment", _same(run)))


def shifted(run: JobRun, other: JobRun) -> Seen:
    """The same, all event times shifted."""
    shift = shift_of(run.log.setup)
    what = f"in the same job with all event times shifted by {shift} ms"
    return _differ(run, other, Relation(what, _same(run), shift=shift))


def delayed(run: JobRun, other: JobRun) -> Seen:
    """The same, one subtask's records readable later."""
    delay = delay_of(run.log.setup)
    what = f"in the same job with a subtask delayed by at most {delay} ms"
    return _differ(run, other, Relation(what, _same(run), slower=delay))


def duplicated(run: JobRun, other: JobRun) -> Seen:
    """The same, each record twice."""
    partners = {}
    for source in run.log.setup.sources:
        count = len(source.subtasks)
        twins = (0, count) if len(run.log.subtasks) < len(other.log.subtasks) else (0,)
        for index in range(count):
            partners[source.name, index] = tuple((source.name, index + twin) for twin in twins)
    what = "in the same job with every record delivered twice"
    paces = [segment.milliseconds_per_record for one in run.log.subtasks.values() for segment in one.segments]
    return _differ(run, other, Relation(what, partners, times=2, slower=max(paces, default=0)))


def reordered(run: JobRun, other: JobRun) -> Seen:
    """The same, the records out of order."""
    bound = max(source.max_out_of_orderness for source in run.log.setup.sources)
    what = f"in the same job with records up to {bound} ms out of order, which its sources expect"
    return _differ(run, other, Relation(what, _same(run), further=bound))


def exchanged(run: JobRun, other: JobRun) -> Seen:
    """The same, the subtasks in the opposite order."""
    partners = {
        (source.name, index): ((source.name, len(source.subtasks) - 1 - index),)
        for source in run.log.setup.sources
        for index in range(len(source.subtasks))
    }
    what = "in the same job with the subtasks in the opposite order"
    return _differ(run, other, Relation(what, partners))


def _same(run: JobRun) -> dict[Key, tuple[Key, ...]]:
    return {key: (key,) for key in run.log.subtasks}


def _differ(run: JobRun, other: JobRun, relation: Relation) -> Seen:
    return (
        _records_differ(run, other, relation)
        or _windows_differ(run, other, relation)
        or _paces_differ(run, other, relation)
    )


def _records_differ(run: JobRun, other: JobRun, relation: Relation) -> Seen:
    if not any(event.kind == "record" for event in run.log.events):
        return "no record came out"
    for key, partners in relation.partners.items():
        expected = _outline(run.log.runs(key), relation.shift, relation.times)
        got = _outline(one for partner in partners for one in other.log.runs(partner))
        if (number := _first_difference(expected, got)) is not None:
            came, wanted = _times(got, number), _times(expected, number)
            return (
                f"the record {number - relation.shift} of {name_of(key)} came out "
                f"{_often(wanted // relation.times)}; {relation.what}, {_counterpart(number, relation)} came "
                f"out {_often(came)} instead of {_often(wanted)}"
            )
    return None


def _windows_differ(run: JobRun, other: JobRun, relation: Relation) -> Seen:
    if run.log.setup.window is None:
        return None
    if not any(event.kind == "fire" for event in run.log.events):
        return "no window ever fired"
    expected = {
        end + relation.shift: [count * relation.times for count in counts]
        for end, counts in _fired(run).items()
    }
    got = _fired(other)
    wrong = [end for end in sorted({*expected, *got}) if expected.get(end) != got.get(end)]
    if not wrong:
        return None
    end = wrong[0] - relation.shift
    itself, counterpart, wanted = (
        firings_text(one)
        for one in (_fired(run).get(end, []), got.get(wrong[0], []), expected.get(wrong[0], []))
    )
    return (
        f"the window that ends at {end} {itself}; {relation.what}, {_counterpart(wrong[0], relation)} "
        f"{counterpart}, while in a conforming engine it {wanted}"
    )


def _paces_differ(run: JobRun, other: JobRun, relation: Relation) -> Seen:
    """Whether a subtask got ahead of its partner by more than both may be of one another."""
    until = run.log.setup.until
    later = 2 * run.reaction_ms
    beyond = run.overshoot_ms + 1
    for key, partners in relation.partners.items():
        mine = _Progress(run, key)
        for partner in partners:
            theirs = _Progress(other, partner, relation.shift)
            words = f"in the job itself, {name_of(key)}", f"{relation.what}, {name_of(partner)}"
            for ahead, behind, names, wait, allowed in (
                (mine, theirs, words, later + relation.slower, beyond),
                (theirs, mine, words[::-1], later, beyond + relation.further),
            ):
                for time, last in zip(ahead.times, ahead.reached, strict=True):
                    if time + wait <= until and last > behind.at(time + wait) + allowed:
                        return (
                            f"{names[0]} had read up to {last} at {time} ms; {names[1]} stood at "
                            f"{behind.at(time + wait)} at {time + wait} ms, {wait} ms later, although no "
                            f"more than {allowed} ms of event time may lie between them then"
                        )
    return None


class _Progress:
    """How far a subtask had read at which processing time; event times as if not shifted."""

    def __init__(self, run: JobRun, key: Key, shift: int = 0) -> None:
        self.start = run.log.subtasks[key].first - 1 - shift
        self.times: list[int] = []
        self.reached: list[int] = []
        for event in run.log.events:
            if event.kind == "record" and (event.source, event.subtask) == key:
                last = from_wire(event.event_time) - shift
                if last > (self.reached[-1] if self.reached else self.start):
                    self.times.append(event.processing_time)
                    self.reached.append(last)

    def at(self, processing_time: int) -> int:
        """The last number read by then; the one before the first if none was."""
        place = bisect_right(self.times, processing_time)
        return self.reached[place - 1] if place else self.start


def _outline(runs: Iterable[tuple[int, int]], shift: int = 0, times: int = 1) -> Outline:
    changes: Counter[int] = Counter()
    for first, last in runs:
        changes[first + shift] += times
        changes[last + 1 + shift] -= times
    return {number: change for number, change in changes.items() if change}


def _first_difference(expected: Outline, got: Outline) -> int | None:
    """The smallest number that came out another number of times than expected."""
    return min((n for n in {*expected, *got} if expected.get(n, 0) != got.get(n, 0)), default=None)


def _times(outline: Outline, number: int) -> int:
    return sum(change for place, change in outline.items() if place <= number)


def _fired(run: JobRun) -> dict[int, list[int]]:
    """How many records each window fired with, by its end."""
    fired: dict[int, list[int]] = {}
    for event in run.log.events:
        if event.kind == "fire":
            fired.setdefault(from_wire(event.event_time), []).append(event.count)
    return fired


def _often(times: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(times, f"{times} times")


def _counterpart(number: int, relation: Relation) -> str:
    return f"its counterpart {number}" if relation.shift else "it"
