"""What the event log of a job must show by itself. Only facts visible from outside count: which records came
out, in which order, and when they could have been read; no engine is asked what it thinks."""

from collections import Counter
from collections.abc import Set

from ...wire.timestamps import from_wire
from .job_property import JobRun, Seen, firings_text, name_of
from .log import Key, Moment, Subtask, groups_of
from .window_state import kept_within_drift, state_sizes


def every_record_once(run: JobRun) -> Seen:
    """Each number came out once, up to the end if the job has one."""
    for key, subtask in run.log.subtasks.items():
        expected = subtask.first
        for first, last in sorted(run.log.runs(key)):
            if first != expected:
                what = "was output twice" if first < expected else "was never output"
                return f"{name_of(key)}: number {min(first, expected)} {what}"
            expected = last + 1
        if not run.log.setup.endless and expected != subtask.end:
            return f"{name_of(key)}: ended at number {expected - 1}, the last is {subtask.end - 1}"
        if expected > subtask.end:
            return f"{name_of(key)}: number {subtask.end} was output, which it does not have"
    return None


def spread_bounded(run: JobRun) -> Seen:
    """At no moment is an unfinished subtask too far ahead of the slowest of its group.

    A subtask that reads its last record is finished from the next moment on: one that reads everything at
    once would be never too far ahead otherwise.
    """
    finished: set[Key] = set()
    for moment in run.log.moments():
        for group in groups_of(run.log.setup):
            if (seen := _too_far(run, moment, group, finished)) is not None:
                return seen
        finished = {key for key, subtask in run.log.subtasks.items() if moment.last[key] >= subtask.end - 1}
    return None


def _too_far(run: JobRun, moment: Moment, group: str, finished: Set[Key]) -> Seen:
    minimum = run.log.minimum(group, moment.last)
    if minimum is None:
        return None
    for key, subtask in run.log.subtasks.items():
        last = moment.last[key]
        ahead = last - 1 - minimum
        awaited = subtask.group == group and key not in finished
        if awaited and ahead > subtask.drift + run.overshoot_ms:
            return (
                f"at {moment.processing_time} ms {name_of(key)} is {ahead} ms ahead of the slowest; "
                f"{subtask.drift} ms are allowed, and {run.overshoot_ms} ms declared as overshoot"
            )
    return None


def _slowest(run: JobRun) -> list[Subtask]:
    """The subtasks with the lowest rate in each group."""
    slowest = []
    for group in groups_of(run.log.setup):
        members = [subtask for subtask in run.log.subtasks.values() if subtask.group == group]
        rate = min(subtask.records_per_millisecond for subtask in members)
        slowest += [subtask for subtask in members if subtask.records_per_millisecond == rate]
    return slowest


def _held_back(moment: Moment, subtask: Subtask) -> bool:
    """Whether the subtask's source acted and left readable records of it unread."""
    acted = subtask.key[0] == moment.source
    return acted and moment.last[subtask.key] < subtask.last_readable(moment.processing_time)


def others_blocked(run: JobRun) -> Seen:
    """Every subtask but the slowest leaves something readable unread at some moment."""
    exempt = {subtask.key for subtask in _slowest(run)} or {min(run.log.subtasks)}
    never = {key for key in run.log.subtasks if key not in exempt}
    for moment in run.log.moments():
        never -= {key for key in never if _held_back(moment, run.log.subtasks[key])}
    if never:
        return f"{name_of(min(never))} was never blocked: it read every record as soon as it could"
    return None


def slowest_not_blocked(run: JobRun) -> Seen:
    """The slowest subtasks never leave anything readable unread."""
    slowest = _slowest(run)
    for moment in run.log.moments():
        for subtask in slowest:
            if _held_back(moment, subtask):
                return (
                    f"at {moment.processing_time} ms {name_of(subtask.key)}, the slowest, had read up to "
                    f"{moment.last[subtask.key]} and not {subtask.last_readable(moment.processing_time)}"
                )
    return None


def blocked_go_on(run: JobRun) -> Seen:
    """At each moment every subtask has read what was readable and admitted a reaction time before."""
    earlier: dict[str, list[tuple[int, dict[str, int | None]]]] = {}
    for moment in run.log.moments():
        minima = {group: run.log.minimum(group, moment.last) for group in groups_of(run.log.setup)}
        known = earlier.setdefault(moment.source, [])
        while len(known) > 1 and known[1][0] <= moment.processing_time - run.reaction_ms:
            known.pop(0)
        for subtask in run.log.of_source(moment.source):
            seen = _held_back_too_long(run, moment, subtask, known)
            if seen is not None:
                return seen
        known.append((moment.processing_time, minima))
    return None


def _held_back_too_long(
    run: JobRun, moment: Moment, subtask: Subtask, known: list[tuple[int, dict[str, int | None]]]
) -> Seen:
    if subtask.group is None or not known or known[0][0] > moment.processing_time - run.reaction_ms:
        return None
    minimum = known[0][1][subtask.group]
    admitted = subtask.last_readable(moment.processing_time - run.reaction_ms)
    if minimum is not None:
        admitted = min(admitted, minimum + subtask.drift)
    last = moment.last[subtask.key]
    if last >= admitted:
        return None
    return (
        f"at {moment.processing_time} ms {name_of(subtask.key)} stands at {last}, although {admitted} was "
        f"readable and admitted {run.reaction_ms} ms before"
    )


def finished_not_waited_for(run: JobRun) -> Seen:
    """The others get further than a subtask that ended early would let them if waited for."""
    short = min(run.log.subtasks.values(), key=lambda subtask: subtask.end)
    reached = {key: max((last for _, last in run.log.runs(key)), default=-1) for key in run.log.subtasks}
    for key, last in reached.items():
        if key != short.key and last <= short.end + short.drift + run.overshoot_ms:
            return (
                f"{name_of(key)} ended at {last}: not past the end of {name_of(short.key)} ({short.end - 1}) "
                f"by more than the drift of {short.drift} ms"
            )
    return None


def off_means_off(run: JobRun) -> Seen:
    """No subtask ever leaves anything readable unread."""
    for moment in run.log.moments():
        for key, subtask in run.log.subtasks.items():
            if _held_back(moment, subtask):
                return (
                    f"at {moment.processing_time} ms {name_of(key)} had read up to {moment.last[key]}, "
                    f"though {subtask.last_readable(moment.processing_time)} was readable"
                )
    return None


def only_lowest_range(run: JobRun) -> Seen:
    """The subtask with the lowest numbers reads on, all others stop after their first."""
    lowest = min(run.log.subtasks.values(), key=lambda subtask: subtask.first)
    until = run.log.setup.until
    for key, subtask in run.log.subtasks.items():
        last = max((last for _, last in run.log.runs(key)), default=subtask.first - 1)
        if key == lowest.key and last < subtask.last_readable(until - 2 * run.reaction_ms):
            return f"{name_of(key)} has the lowest numbers and stopped at {last}"
        if key != lowest.key and last - subtask.first > run.overshoot_ms:
            return (
                f"{name_of(key)} read {last - subtask.first + 1} records, far ahead of {name_of(lowest.key)}"
            )
    return None


_SLOW_GOES_ON = 2
"""The slowest reads on at 1 record a ms while the others react, and a watermark is 1 ms behind its record."""


def drift_granted(run: JobRun) -> Seen:
    """Every subtask but the slowest gets as far ahead as the drift allows."""
    exempt = {subtask.key for subtask in _slowest(run)}
    lead = {key: 0 for key in run.log.subtasks if key not in exempt}
    for moment in run.log.moments():
        for key in lead:
            group = run.log.subtasks[key].group
            minimum = run.log.minimum(group, moment.last) if group is not None else None
            if minimum is not None:
                lead[key] = max(lead[key], moment.last[key] - 1 - minimum)
    for key, largest in lead.items():
        drift = run.log.subtasks[key].drift
        if largest < drift - run.reaction_ms - _SLOW_GOES_ON:
            return (
                f"{name_of(key)} was never further ahead than {largest} ms, although {drift} ms are allowed"
            )
    return None


def nothing_late(run: JobRun) -> Seen:
    """No record comes too late for its window, and windows fire."""
    for event in run.log.events:
        if event.kind == "late":
            return (
                f"at {event.processing_time} ms a record of {event.event_time} came too late for its window"
            )
    if not any(event.kind == "fire" for event in run.log.events):
        return "no window ever fired"
    return None


def state_bounded(run: JobRun) -> Seen:
    """The windows never keep more records than the drift and the overshoot allow."""
    allowed = kept_within_drift(run)
    kept = max((records for _, records in state_sizes(run.log)), default=None)
    if kept is None:
        return "nothing was ever kept"
    if kept > allowed:
        return f"the windows kept {kept} records; within the drift and the overshoot there are {allowed}"
    return None


def all_results(run: JobRun) -> Seen:
    """Each window fires once, with all its records."""
    window = run.log.setup.window or 1
    expected: dict[int, int] = {}
    for subtask in run.log.subtasks.values():
        for segment in subtask.segments:
            for number in range(segment.count):
                end = (from_wire(segment.first) + number * segment.step) // window * window + window
                expected[end] = expected.get(end, 0) + 1
    fired = [(from_wire(event.event_time), event.count) for event in run.log.events if event.kind == "fire"]
    if sorted(fired) == sorted(expected.items()):
        return None
    # Counters, since sets would miss a window that fires twice with all its records.
    seen, wanted = Counter(fired), Counter(expected.items())
    wrong = min((seen - wanted) + (wanted - seen))[0]
    counts = [count for end, count in fired if end == wrong]
    has = expected.get(wrong, 0)
    return f"the window that ends at {wrong} {firings_text(counts)}, it has {has}"
