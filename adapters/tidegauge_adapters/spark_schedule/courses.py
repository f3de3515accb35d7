"""A history with snapshots as courses: what a query does from its first start to its end."""

from dataclasses import dataclass

from tidegauge.wire.vocabulary import Restore, Snapshot, Step


@dataclass(frozen=True)
class Course:
    """The steps of one query: index in the history and step, None where the query is stopped and started
    again from its checkpoint. What the steps from `since` on (an index in `steps`) show is new; those before
    were seen in an earlier course."""

    steps: tuple[tuple[int, Step] | None, ...]
    since: int = 0


def courses(history: tuple[Step, ...], in_place: bool = False) -> list[Course]:
    """One course, and one more for every restore: that query does again what led to the snapshot, is started
    again from its checkpoint there, and goes on with what follows the restore.

    in_place: a restore that comes with no step after its snapshot undoes nothing, and is a restart of the
    query that took the snapshot instead.
    """
    found: list[Course] = []
    steps: list[tuple[int, Step] | None] = []
    saved: list[tuple[int, Step] | None] = []
    since = 0
    undone = True
    for index, step in enumerate(history):
        if isinstance(step, Snapshot):
            saved = list(steps)
            undone = False
        elif isinstance(step, Restore) and in_place and not undone:
            steps.append(None)
        elif isinstance(step, Restore):
            found.append(Course(tuple(steps), since))
            steps = [*saved, None]
            since = len(steps)
            undone = False
        else:
            steps.append((index, step))
            undone = True
    return [*found, Course(tuple(steps), since)]
