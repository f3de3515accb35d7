"""The answers of Flink's REST interface, as far as the monitor reads them, in Flink 1.20 and 2.3."""

from typing import Final

from msgspec import Struct

ENDED: Final = ("FINISHED", "FAILED", "CANCELED")
"""The final states of a job."""


class Config(Struct, rename="kebab"):
    """`/config`: identifies a JobManager."""

    flink_version: str


class ListedJob(Struct):
    """A job in `/jobs/overview`."""

    jid: str
    name: str
    state: str


class Overview(Struct):
    """`/jobs/overview`."""

    jobs: list[ListedJob]


class Vertex(Struct):
    """A vertex of a job: a chain of operators."""

    id: str
    name: str
    parallelism: int
    status: str


class Edge(Struct):
    """An input of a vertex. `num` is its number, `id` the vertex that it comes from."""

    id: str
    num: int = 0
    ship_strategy: str = ""


class Node(Struct):
    """A vertex in the plan of a job."""

    id: str
    inputs: list[Edge] = []


class Plan(Struct):
    """The plan of a job."""

    nodes: list[Node] = []


class JobDetails(Struct):
    """`/jobs/:id`. `now` is the clock of the JobManager (ms), `timestamps` when a state was last entered."""

    name: str
    state: str
    now: int
    timestamps: dict[str, int]
    vertices: list[Vertex]
    plan: Plan


class Attempt(Struct):
    """A subtask in `/jobs/:id/vertices/:vid`, with the number of its attempt, from 0."""

    subtask: int
    attempt: int


class VertexDetails(Struct):
    """`/jobs/:id/vertices/:vid`."""

    subtasks: list[Attempt]


class Metric(Struct):
    """A metric in `/jobs/:id/vertices/:vid/metrics`; without a value in the list of names."""

    id: str
    value: str = ""
