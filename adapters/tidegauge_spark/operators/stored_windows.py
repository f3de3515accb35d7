"""The windows of an operator in a map state: what is not asked for stays in the state store."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import Final

from pyspark.sql.streaming.stateful_processor import MapState
from pyspark.sql.types import ArrayType, LongType, StringType, StructField, StructType

from tidegauge_spark.decisions.windows.index import KeptWindow
from tidegauge_spark.decisions.windows.windows import StandingResult, WindowContents

_TIMES: Final = ArrayType(LongType(), containsNull=False)

WINDOW_KEY_SCHEMA: Final = StructType(
    [
        StructField("record_key", StringType()),
        StructField("window_start", LongType()),
        StructField("window_end", LongType()),
    ]
)
"""A window is one row of the state store, found by the fields of `KeptWindow`."""

WINDOW_CONTENTS_SCHEMA: Final = StructType(
    [
        StructField("values", _TIMES),
        StructField("standing_starts", _TIMES),
        StructField("standing_ends", _TIMES),
        StructField("standing_records", _TIMES),
    ]
)
"""What is kept of a window: the values of `WindowContents`, and its results that stand, an entry each in the
other three lists."""


class StoredWindows(MutableMapping[KeptWindow, WindowContents]):
    """The windows of one grouping key during one batch.

    Each access to the state is a round trip to the JVM. So a window that is asked for is read once, and one
    that has changed is written once, by `write`; the keys are listed once, if they are gone through at all.
    """

    def __init__(self, state: MapState) -> None:
        self._state = state
        self._contents: dict[KeptWindow, WindowContents | None] = {}  # None: there is no such window
        self._changed: set[KeptWindow] = set()
        self._listed: set[KeptWindow] | None = None

    def __getitem__(self, window: KeptWindow) -> WindowContents:
        if window not in self._contents:
            self._contents[window] = self._read(window) if self._is_stored(window) is not False else None
        contents = self._contents[window]
        if contents is None:
            raise KeyError(window)
        return contents

    def __setitem__(self, window: KeptWindow, contents: WindowContents) -> None:
        self._contents[window] = contents
        self._changed.add(window)

    def __delitem__(self, window: KeptWindow) -> None:
        if window not in self:
            raise KeyError(window)
        self._contents[window] = None
        self._changed.add(window)

    def __contains__(self, window: object) -> bool:
        """Whether there is such a window; its contents are not read."""
        assert isinstance(window, KeptWindow)
        if window in self._contents:
            return self._contents[window] is not None
        stored = self._is_stored(window)
        return self._state.containsKey(tuple(window)) if stored is None else stored

    def __iter__(self) -> Iterator[KeptWindow]:
        if self._listed is None:
            self._listed = {KeptWindow(*key) for key in self._state.keys()}  # noqa: SIM118
        unchanged = [window for window in self._listed if window not in self._contents]
        return iter(
            unchanged + [window for window, contents in self._contents.items() if contents is not None]
        )

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def write(self) -> None:
        """Write what has changed to the state."""
        for window in self._changed:
            contents = self._contents[window]
            if contents is not None:
                self._state.updateValue(tuple(window), _row(contents))
            elif self._is_stored(window) is not False:
                self._state.removeKey(tuple(window))
        self._changed.clear()

    def _is_stored(self, window: KeptWindow) -> bool | None:
        """Whether the window was in the store before this batch; None: not known without asking."""
        return None if self._listed is None else window in self._listed

    def _read(self, window: KeptWindow) -> WindowContents | None:
        row = self._state.getValue(tuple(window))
        if row is None:
            return None
        values, *standing = row  # copied: the tester hands out the state itself
        return WindowContents(list(values), [StandingResult(*each) for each in zip(*standing, strict=True)])


def _row(contents: WindowContents) -> tuple[list[int], ...]:
    starts, ends, records = zip(*contents.standing, strict=True) if contents.standing else ((), (), ())
    return contents.values, list(starts), list(ends), list(records)
