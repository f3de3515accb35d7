"""The windows of an operator subtask in a map state: what is not asked for stays in the state store."""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from typing import Any, Final

from pyspark.sql.streaming.stateful_processor import MapState
from pyspark.sql.types import BinaryType, IntegerType, LongType, StructField, StructType

from tidegauge_spark.decisions.errors import IllegalArgumentError
from tidegauge_spark.decisions.windows.kept import Slice, SliceContents, StandingResult, WindowContents

SLICE_SCHEMA: Final = StructType(
    [
        StructField("window_start", LongType()),
        StructField("window_end", LongType()),
        StructField("bucket", IntegerType()),
    ]
)
"""The key of a row of the state store, the fields of `Slice`."""

SLICE_CONTENTS_SCHEMA: Final = StructType([StructField("windows", BinaryType())])
"""The windows of a slice, pickled: accumulators are any values of Python."""


class StoredSlices:
    """The slices of one operator subtask during one batch.

    Each access to the state is a round trip to the JVM. So a slice that is needed is read once, and one that
    has changed is written once, by `write`; the slices are listed once, if at all.
    """

    def __init__(self, state: MapState) -> None:
        self._state = state
        self._read: dict[Slice, SliceContents] = {}
        self._changed: set[Slice] = set()
        self._stored: set[Slice] = set()  # of those that were read
        self._listed: set[Slice] | None = None

    def slices(self) -> Iterable[Slice]:
        """Return the slices that have contents."""
        if self._listed is None:
            self._listed = {Slice(*key) for key in self._state.keys()}  # noqa: SIM118
        unread = self._listed - self._read.keys()
        return [*unread, *(place for place, contents in self._read.items() if contents)]

    def read(self, place: Slice) -> SliceContents:
        """Return the contents of a slice."""
        if place not in self._read:
            stored = None
            if self._listed is None or place in self._listed:
                stored = self._state.getValue(tuple(place))
            if stored is not None:
                self._stored.add(place)
            self._read[place] = {} if stored is None else _restored(stored[0])
        return self._read[place]

    def changed(self, place: Slice) -> None:
        """Note that a slice has to be written."""
        self._changed.add(place)

    def write(self) -> None:
        """Write what has changed to the state."""
        for place in self._changed:
            contents = self._read[place]
            if contents:
                self._state.updateValue(tuple(place), (_pickled(contents),))
            elif place in self._stored:
                self._state.removeKey(tuple(place))
        self._changed.clear()


def _pickled(contents: SliceContents) -> bytes:
    """Return the contents without classes of this library, so that these may change."""
    plain = {
        key: {
            window: (records, accumulated, tuple(map(tuple, standing)))
            for window, (records, accumulated, standing) in windows.items()
        }
        for key, windows in contents.items()
    }
    try:
        return pickle.dumps(plain, protocol=5)
    except Exception as error:
        raise IllegalArgumentError(
            f"an accumulator of the windows cannot be pickled: {error}; use plain values of Python"
        ) from error


def _restored(data: bytes) -> SliceContents:
    plain: dict[Any, dict[tuple[int, int], Any]] = pickle.loads(data)
    return {
        key: {
            window: WindowContents(records, accumulated, tuple(StandingResult(*each) for each in standing))
            for window, (records, accumulated, standing) in windows.items()
        }
        for key, windows in plain.items()
    }
