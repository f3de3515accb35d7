"""What the event log of a job must show. Each property looks at facts visible from outside: which records
came out, in which order, and when they could have been read; no engine is asked what it thinks."""

from collections.abc import Callable
from dataclasses import dataclass

from ...timestamps import from_wire
from .log import JobLog, Key, Moment, Subtask, groups_of


@dataclass(frozen=True)
class JobRun:
    """A job that ran: its log, and what the engine declares of its reaction (ms)."""

    log: JobLog
    overshoot_ms: int
    reaction_ms: int


Seen = str | None
"""None: the property holds; else what was seen instead, in words."""


@dataclass(frozen=True)
class JobProperty:
    """A property of jobs. `jobs` names those it is checked on; `rules` are all whose breach can show in it,
    the one it speaks for before the others.

    `alignment`: without alignment the same job must violate it, else it shows nothing. `on_control`: it is
    checked on the job without alignment, instead.
    """

    name: str
    sentence: str
    rules: tuple[str, ...]
    jobs: tuple[str, ...]
    seen: Callable[[JobRun], Seen]
    alignment: bool = False
    on_control: bool = False


def _name(key: Key) -> str:
    return f"subtask {key[1]} of source {key[0]!r}"


def _every_record_once(run: JobRun) -> Seen:
    for key, subtask in run.log.subtasks.items():
        expected = subtask.first
        for first, last in sorted(run.log.runs(key)):
            if first != expected:
                what = "twice" if first < expected else "never"
                return f"{_name(key)}: number {min(first, expected)} came out {what}"
            expected = last + 1
        if not run.log.setup.endless and expected != subtask.end:
            return f"{_name(key)}: ended at number {expected - 1}, the last is {subtask.end - 1}"
        if expected > subtask.end:
            return f"{_name(key)}: number {subtask.end} came out, which it does not have"
    return None


def _spread_bounded(run: JobRun) -> Seen:
    for moment in run.log.moments():
        for group in groups_of(run.log.setup):
            if (seen := _too_far(run, moment, group)) is not None:
                return seen
    return None


def _too_far(run: JobRun, moment: Moment, group: str) -> Seen:
    minimum = run.log.minimum(group, moment.last)
    if minimum is None:
        return None
    for key, subtask in run.log.subtasks.items():
        last = moment.last[key]
        ahead = last - 1 - minimum
        if subtask.group == group and last < subtask.end - 1 and ahead > subtask.drift + run.overshoot_ms:
            return (
                f"at {moment.processing_time} ms {_name(key)} is {ahead} ms ahead of the slowest; "
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


def _others_blocked(run: JobRun) -> Seen:
    exempt = {subtask.key for subtask in _slowest(run)} or {min(run.log.subtasks)}
    never = {key for key in run.log.subtasks if key not in exempt}
    for moment in run.log.moments():
        never -= {key for key in never if _held_back(moment, run.log.subtasks[key])}
    if never:
        return f"{_name(min(never))} was never blocked: it read every record as soon as it could"
    return None


def _slowest_not_blocked(run: JobRun) -> Seen:
    slowest = _slowest(run)
    for moment in run.log.moments():
        for subtask in slowest:
            if _held_back(moment, subtask):
                return (
                    f"at {moment.processing_time} ms {_name(subtask.key)}, the slowest, had read up to "
                    f"{moment.last[subtask.key]} and not {subtask.last_readable(moment.processing_time)}"
                )
    return None


def _blocked_go_on(run: JobRun) -> Seen:
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
        f"at {moment.processing_time} ms {_name(subtask.key)} stands at {last}, although {admitted} was "
        f"readable and admitted {run.reaction_ms} ms before"
    )


def _finished_not_waited_for(run: JobRun) -> Seen:
    short = min(run.log.subtasks.values(), key=lambda subtask: subtask.end)
    reached = {key: max((last for _, last in run.log.runs(key)), default=-1) for key in run.log.subtasks}
    for key, last in reached.items():
        if key != short.key and last <= short.end + short.drift + run.overshoot_ms:
            return (
                f"{_name(key)} ended at {last}: not past the end of {_name(short.key)} ({short.end - 1}) by "
                f"more than the drift of {short.drift} ms"
            )
    return None


def _off_means_off(run: JobRun) -> Seen:
    for moment in run.log.moments():
        for key, subtask in run.log.subtasks.items():
            if _held_back(moment, subtask):
                return (
                    f"at {moment.processing_time} ms {_name(key)} had read up to {moment.last[key]}, though "
                    f"{subtask.last_readable(moment.processing_time)} was readable"
                )
    return None


def _only_lowest_range(run: JobRun) -> Seen:
    lowest = min(run.log.subtasks.values(), key=lambda subtask: subtask.first)
    until = run.log.setup.until
    for key, subtask in run.log.subtasks.items():
        last = max((last for _, last in run.log.runs(key)), default=subtask.first - 1)
        if key == lowest.key and last < subtask.last_readable(until - 2 * run.reaction_ms):
            return f"{_name(key)} has the lowest numbers and stopped at {last}"
        if key != lowest.key and last - subtask.first > run.overshoot_ms:
            return f"{_name(key)} read {last - subtask.first + 1} records, far ahead of {_name(lowest.key)}"
    return None


_SLOW_GOES_ON = 2
"""The slowest reads on at 1 record a ms while the others react, and a watermark is 1 ms behind its record."""


def _drift_granted(run: JobRun) -> Seen:
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
            return f"{_name(key)} was never further ahead than {largest} ms, although {drift} ms are allowed"
    return None


def _nothing_late(run: JobRun) -> Seen:
    for event in run.log.events:
        if event.kind == "late":
            return (
                f"at {event.processing_time} ms a record of {event.event_time} came too late for its window"
            )
    if not any(event.kind == "fire" for event in run.log.events):
        return "no window ever fired"
    return None


def _state_bounded(run: JobRun) -> Seen:
    window = run.log.setup.window or 0
    allowed = sum(
        (subtask.drift + run.overshoot_ms + 2 * window) // max(1, segment.step)
        for subtask in run.log.subtasks.values()
        for segment in subtask.segments
    )
    sizes = [event.count for event in run.log.events if event.kind == "state-size"]
    if not sizes:
        return "nothing was ever kept"
    if max(sizes) > allowed:
        return (
            f"the windows kept {max(sizes)} records; within the drift and the overshoot there are {allowed}"
        )
    return None


def _all_results(run: JobRun) -> Seen:
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
    wrong = sorted(set(fired) ^ set(expected.items()))[0][0]
    counts = [count for end, count in fired if end == wrong]
    has = expected.get(wrong, 0)
    return f"the window that ends at {wrong} fired with {counts or 'no'} records, it has {has}"


_WHOLE = ("flip-182", "short-subtask", "two-sources-one-query", "two-sources-two-queries", "two-groups")
_STUCK = ("ALIGN-4", "ALIGN-5", "SOURCE-2", "SOURCE-3")
_LOOSE = ("SOURCE-1", "ALIGN-1", "ALIGN-4")

JOB_PROPERTIES = (
    JobProperty(
        "job-every-record-once",
        "Every record comes out exactly once.",
        ("JOB-1", *_STUCK),
        (*_WHOLE, "flip-182-literal"),
        _every_record_once,
    ),
    JobProperty(
        "job-spread-bounded",
        "The watermarks of the unfinished subtasks are within the drift plus the declared overshoot.",
        (*_LOOSE, "JOB-2"),
        ("flip-182",),
        _spread_bounded,
        alignment=True,
    ),
    JobProperty(
        "job-spread-across-sources",
        "The watermarks of the unfinished subtasks of all sources in a group are within the drift plus the "
        "declared overshoot.",
        ("ALIGN-2", *_LOOSE),
        ("two-sources-one-query", "two-sources-two-queries"),
        _spread_bounded,
        alignment=True,
    ),
    JobProperty(
        "job-others-blocked",
        "All subtasks but the slowest become blocked.",
        ("JOB-5", "SOURCE-1", "ALIGN-1"),
        ("flip-182",),
        _others_blocked,
        alignment=True,
    ),
    JobProperty(
        "job-slowest-not-blocked",
        "The slowest subtask of a group reads every record as soon as it can.",
        ("SOURCE-2", "SOURCE-3", "ALIGN-4", "JOB-1"),
        ("flip-182", "short-subtask", "two-sources-one-query"),
        _slowest_not_blocked,
    ),
    JobProperty(
        "job-drift-granted",
        "A subtask gets as far ahead of the slowest as the drift allows, within the declared reaction time.",
        ("ALIGN-4", "SOURCE-3"),
        ("flip-182",),
        _drift_granted,
    ),
    JobProperty(
        "job-blocked-go-on",
        "A blocked subtask reads what its bound admits, within the declared reaction time.",
        ("SOURCE-3", "ALIGN-4", "ALIGN-5", "SOURCE-2", "JOB-1"),
        ("flip-182", "short-subtask"),
        _blocked_go_on,
    ),
    JobProperty(
        "job-finished-not-waited-for",
        "The others go on when a subtask has finished early.",
        ("ALIGN-5", "ALIGN-4", "SOURCE-2", "SOURCE-3"),
        ("short-subtask",),
        _finished_not_waited_for,
    ),
    JobProperty(
        "job-groups-isolated",
        "A source reads what its own group admits, whatever another group does.",
        ("ALIGN-3", "ALIGN-4", "ALIGN-5", "SOURCE-2", "SOURCE-3", "JOB-1"),
        ("two-groups",),
        _blocked_go_on,
    ),
    JobProperty(
        "job-off-means-off",
        "Without alignment every subtask reads every record as soon as it can.",
        ("SOURCE-4", "JOB-1"),
        ("flip-182", "two-sources-one-query"),
        _off_means_off,
        on_control=True,
    ),
    JobProperty(
        "job-restart-loses-nothing",
        "A job that is restarted outputs every record once.",
        ("JOB-4", "JOB-1", *_STUCK),
        ("flip-182-restarted",),
        _every_record_once,
    ),
    JobProperty(
        "job-restart-keeps-alignment",
        "The spread stays bounded over restarts.",
        ("JOB-4", *_LOOSE, "JOB-2"),
        ("flip-182-restarted",),
        _spread_bounded,
        alignment=True,
    ),
    JobProperty(
        "job-only-lowest-range",
        "Of the literal job only the subtask with the lowest numbers reads on.",
        ("JOB-6", *_LOOSE, "SOURCE-2"),
        ("flip-182-literal",),
        _only_lowest_range,
        alignment=True,
    ),
    JobProperty(
        "job-blocked-is-not-idle",
        "In the worked example of the FLIP on blocked sources no record of A is late.",
        ("JOB-7", *_STUCK),
        ("blocked-is-not-idle", "blocked-is-not-idle-moving"),
        _nothing_late,
    ),
    JobProperty(
        "job-backpressured-is-not-idle",
        "No record of a source that was held up by backpressure is late.",
        ("JOB-8",),
        ("backpressured-is-not-idle", "backpressured-sooner-is-not-idle"),
        _nothing_late,
    ),
    JobProperty(
        "job-window-state-bounded",
        "Windows keep no more records than lie within the drift plus the declared overshoot.",
        ("JOB-9", *_LOOSE),
        ("window-state",),
        _state_bounded,
        alignment=True,
    ),
    JobProperty(
        "job-window-results",
        "Every window fires once, with all its records.",
        ("JOB-10", "JOB-1", "JOB-7", "JOB-8"),
        ("window-state", "blocked-is-not-idle", "backpressured-is-not-idle"),
        _all_results,
    ),
    JobProperty(
        "job-window-results-restarted",
        "Over restarts every window fires once, with all its records.",
        ("JOB-4", "JOB-10", "JOB-1"),
        ("window-state-restarted",),
        _all_results,
    ),
)
"""The properties of single jobs; that alignment only delays compares two and stands in `judging/jobs.py`."""
