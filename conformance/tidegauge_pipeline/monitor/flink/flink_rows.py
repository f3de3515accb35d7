"""The rows of a job of Flink: a `RowSource` that polls the REST interface of its JobManager."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import pyarrow as pa

from tidegauge.wire.scenario import BadInput

from ...event_log.schema import NONE, ROWS
from .answers import ENDED, Config, Edge, JobDetails, ListedJob, Metric, Overview, Vertex, VertexDetails
from .channels import channels_of
from .rest import FlinkRest, Unreachable
from .subtask_rows import Input, InputSample, Row, SubtaskRows
from .vertex_metrics import SubtaskSample, VertexMetrics

_POLLS_PER_NAMES: Final = 10
"""After this number of polls the names of metrics are requested again: some metrics appear later."""

_MOST_NAME: Final = 80
"""The maximum length of a source's name; the names of vertices in SQL may have thousands of characters."""


class FlinkRows:
    """The rows of one job, from its metrics: a poll sends one request, and one per vertex of the job.

    job: the id or the name of a running job, None for the only one. patience: for how long (s) the
    JobManager may be unreachable, or may not know the job, before the job counts as ended. `end`: the reason
    for the end of the rows in one line, None if they have not ended.

    Raises `BadInput` if the JobManager or the job is not there at the beginning.
    """

    def __init__(
        self,
        url: str,
        job: str | None = None,
        patience: float = 60,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.end: str | None = None
        self._rest = FlinkRest(url)
        self._patience, self._clock = patience, clock
        try:
            self._rest.get("/config", Config)
            self._job = _chosen(self._rest.get("/jobs/overview", Overview).jobs, job, self._rest.url)
        except (BadInput, Unreachable) as problem:
            self._rest.close()
            if isinstance(problem, BadInput):
                raise
            raise BadInput(f"{problem}; is the URL right, and the JobManager running?") from problem
        self._answered = clock()
        self._now = 0
        self._polls = 0
        self._changed: dict[str, int] | None = None
        self._attempts: dict[tuple[str, int], int] = {}
        self._metrics: dict[str, VertexMetrics] = {}
        self._names: dict[str, str] = {}
        self._subtasks: dict[tuple[str, int], SubtaskRows] = {}

    @property
    def has_ended(self) -> bool:
        """Whether the job has ended, or has been out of reach for longer than `patience`."""
        return self.end is not None

    @property
    def counted(self) -> set[tuple[str, int]]:
        """The subtasks whose records are counted, as source and number: their metrics have arrived."""
        return {
            (self._names[vertex], number)
            for (vertex, number), rows in self._subtasks.items()
            if rows.is_counted
        }

    def close(self) -> None:
        """Close the connection."""
        self._rest.close()

    def poll(self) -> Any:
        """Return the rows since the last poll; none if the JobManager does not answer."""
        if self.has_ended:
            return ROWS.empty_table()
        try:
            job = self._rest.get(f"/jobs/{self._job}", JobDetails)
            samples = self._samples(job)
            has_fallen = any(
                rows.is_before(samples[vertex][number])
                for (vertex, number), rows in self._subtasks.items()
                if number < len(samples.get(vertex, ()))
            )
            # A restart of any part of the job changes these times.
            if has_fallen or job.timestamps != self._changed:
                self._attempts = dict(self._asked_attempts(job))
                self._changed = job.timestamps
        except Unreachable as problem:
            if self._clock() - self._answered > self._patience:
                self.end = f"{problem}, for {self._patience:g} s"
            return ROWS.empty_table()
        self._answered = self._clock()
        self._polls += 1
        # After a failover, the clock of the new JobManager may be behind that of the old one.
        self._now = max(self._now, job.now)
        if job.state in ENDED:
            self.end = f"the job {job.name!r} is {job.state}"
        return self._table(job, samples)

    def _samples(self, job: JobDetails) -> dict[str, list[SubtaskSample]]:
        """Return a sample of each subtask by vertex.

        Downstream vertices are sampled first: an input is sampled after the watermark that it leads to.
        """
        inputs = {node.id: node.inputs for node in job.plan.nodes}
        samples = {}
        for vertex in reversed(job.vertices):
            path = f"/jobs/{self._job}/vertices/{vertex.id}/metrics"
            metrics = self._metrics.get(vertex.id)
            if metrics is None or not metrics.is_known or self._polls % _POLLS_PER_NAMES == 0:
                names = [metric.id for metric in self._rest.get(path, list[Metric])]
                newer = VertexMetrics(vertex, not inputs.get(vertex.id), names)
                if metrics is None or newer.covers(metrics):
                    metrics = self._metrics[vertex.id] = newer
            values = {
                metric.id: metric.value
                for query in metrics.queries()
                for metric in self._rest.get(f"{path}?get={query}", list[Metric])
            }
            samples[vertex.id] = metrics.samples(values)
        return samples

    def _asked_attempts(self, job: JobDetails) -> Iterator[tuple[tuple[str, int], int]]:
        for vertex in job.vertices:
            details = self._rest.get(f"/jobs/{self._job}/vertices/{vertex.id}", VertexDetails)
            for each in details.subtasks:
                yield (vertex.id, each.subtask), each.attempt

    def _table(self, job: JobDetails, samples: Mapping[str, list[SubtaskSample]]) -> Any:
        columns: dict[str, list[Any]] = {name: [] for name in ROWS.names}
        names = self._names = _names(job.vertices)
        edges = {node.id: node.inputs for node in job.plan.nodes}
        vertices = {vertex.id: vertex for vertex in job.vertices}
        for vertex in job.vertices:
            for number, sample in enumerate(samples[vertex.id]):
                key = (vertex.id, number)
                subtask = self._subtasks.setdefault(key, SubtaskRows())
                before = subtask.rows
                inputs = _inputs(vertex, number, edges.get(vertex.id, []), vertices, names, samples)
                has_ended = vertex.status == "FINISHED"
                rows = subtask.poll(sample, inputs, self._attempts.get(key), has_ended)
                for sequence, row in enumerate(rows, before + 1):
                    of_subtask = (job.name, names[vertex.id], number, sequence)
                    for column, value in zip(
                        columns.values(), _values(of_subtask, row, self._now), strict=True
                    ):
                        column.append(value)
        return pa.table(columns, schema=ROWS)


def _values(of_subtask: tuple[str, str, int, int], row: Row, now: int) -> tuple[Any, ...]:
    """Return the values of a row in the order of `ROWS`."""
    channel = NONE if row.channel is None else row.channel
    return (*of_subtask, row.kind, row.event_time, now, row.split, channel, row.count)


def _inputs(
    vertex: Vertex,
    subtask: int,
    edges: list[Edge],
    vertices: Mapping[str, Vertex],
    names: Mapping[str, str],
    samples: Mapping[str, list[SubtaskSample]],
) -> dict[Input, InputSample]:
    """Return what a poll shows of the inputs of a subtask: its splits, or its channels."""
    if not edges:
        splits = samples[vertex.id][subtask].splits
        return {Input(name): InputSample(split.watermark, split.idle) for name, split in splits.items()}
    widths = {each.id: each.parallelism for each in vertices.values()}
    return {
        Input(f"{names[channel.vertex]}[{channel.subtask}]", channel.number): InputSample(
            samples[channel.vertex][channel.subtask].watermark,
            has_ended=vertices[channel.vertex].status == "FINISHED",
        )
        for channel in channels_of(edges, subtask, vertex.parallelism, widths)
    }


def _names(vertices: list[Vertex]) -> dict[str, str]:
    """Return a name for each vertex, by id; a number distinguishes vertices of the same name."""
    names: dict[str, str] = {}
    seen: Counter[str] = Counter()
    for vertex in vertices:
        name = vertex.name if len(vertex.name) <= _MOST_NAME else f"{vertex.name[: _MOST_NAME - 1]}…"
        seen[name] += 1
        names[vertex.id] = name if seen[name] == 1 else f"{name} #{seen[name]}"
    return names


def _chosen(jobs: list[ListedJob], wanted: str | None, url: str) -> str:
    """Return the id of the job to monitor."""
    known = [job for job in jobs if wanted in (None, job.jid, job.name)]
    running = [job for job in known if job.state not in ENDED]
    if len(running) == 1:
        return running[0].jid
    if running:
        listed = ", ".join(f"{job.name} ({job.jid})" for job in running[:5])
        raise BadInput(f"{url}: {len(running)} jobs are running: choose one by its id with --job: {listed}")
    if known and wanted is not None:
        raise BadInput(f"{url}: the job {wanted!r} is {known[-1].state}: only a running job can be monitored")
    listed = ", ".join(job.name for job in jobs if job.state not in ENDED) or "none"
    of_name = "no job" if wanted is None else f"no job {wanted!r}"
    raise BadInput(f"{url}: {of_name} is running there; running are: {listed}")
