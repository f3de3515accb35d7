"""The interface from which the monitor reads the rows of a running job."""

from typing import Any, Protocol


class RowSource(Protocol):
    """A growing event log, or a poller that turns what an engine reports into rows of an event log."""

    def poll(self) -> Any:
        """Return the rows that are new since the last poll, a `pyarrow.Table` with the schema `schema.ROWS`.

        The rows of one subtask are in the order in which they happened; subtasks may alternate. The table is
        empty if there is nothing new.
        """

    @property
    def has_ended(self) -> bool:
        """Whether the source is known to yield no more rows, for example because the job has ended."""
