"""What the event log says of the windows behind the sources: how much they keep, and what came too late."""

from ...wire.timestamps import from_wire
from .job_property import JobRun
from .log import JobLog


def state_sizes(log: JobLog) -> list[tuple[int, int]]:
    """(processing time in ms, records kept), in order of time; of one time in the order of the log."""
    sizes = [(event.processing_time, event.count) for event in log.events if event.kind == "state-size"]
    return sorted(sizes, key=lambda size: size[0])


def late_records(log: JobLog) -> list[tuple[int, int, int]]:
    """(processing time in ms, event time in ms, number) of records that came too late, in order of time."""
    late = [
        (event.processing_time, from_wire(event.event_time), event.count)
        for event in log.events
        if event.kind == "late"
    ]
    return sorted(late, key=lambda record: record[0])


def kept_within_drift(run: JobRun) -> int:
    """How many records the windows keep at most if nobody is further ahead than the drift and the overshoot
    allow."""
    window = run.log.setup.window or 0
    return sum(
        (subtask.drift + run.overshoot_ms + 2 * window) // max(1, segment.step)
        for subtask in run.log.subtasks.values()
        for segment in subtask.segments
    )
