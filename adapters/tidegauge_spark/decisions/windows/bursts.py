"""The records of a batch sorted by window and key, all at once. All times and lengths in ms."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from tidegauge_spark.decisions.windows.aggregation import Numbers, Records
from tidegauge_spark.decisions.windows.assigners import Assigner, SlidingWindows, TumblingWindows
from tidegauge_spark.decisions.windows.kept import KeptWindow

_SAFE: Final = 2**60
"""Sums of three numbers below this do not leave 64 bits."""


class Groups(NamedTuple):
    """Records by the window of a key that they belong to.

    windows: one for each group. sizes: the number of records of each. places, groups: the record at
    `places[i]` belongs to `groups[i]`; records are in their order.
    """

    windows: list[KeptWindow]
    sizes: list[int]
    places: Numbers
    groups: Numbers


class Assigned(NamedTuple):
    """Pairs of a record and a window that covers it: the place of the record, the start of the window; in
    the order of records, the earliest window of each first."""

    places: Numbers
    starts: Numbers


def is_far_from_the_ends(assigner: Assigner, allowed_lateness: int, timestamps: Numbers) -> bool:
    """Whether windows of these records can be computed in 64 bits: none is near `MIN` or `MAX`."""
    lengths = [allowed_lateness, *(abs(each) for each in vars(assigner).values())]
    return max(lengths) < _SAFE and bool(np.all((timestamps > -_SAFE) & (timestamps < _SAFE)))


def windows_of_each(assigner: TumblingWindows | SlidingWindows) -> int:
    """Return how many windows cover a record, at most."""
    if isinstance(assigner, TumblingWindows):
        return 1
    return -(-assigner.size // assigner.slide)


def assigned(assigner: TumblingWindows | SlidingWindows, timestamps: Numbers) -> Assigned:
    """Return all pairs of these records and the windows that cover them (WIN-1)."""
    if isinstance(assigner, TumblingWindows):
        return Assigned(
            np.arange(len(timestamps)), timestamps - (timestamps - assigner.offset) % assigner.size
        )
    last = timestamps - (timestamps - assigner.offset) % assigner.slide
    steps = np.arange(windows_of_each(assigner) - 1, -1, -1, dtype=np.int64) * assigner.slide
    starts = last[:, np.newaxis] - steps
    covers = starts > (timestamps - assigner.size)[:, np.newaxis]
    return Assigned(np.nonzero(covers)[0], starts[covers])


def grouped_by_window(records: Records, pairs: Assigned, size: int) -> Groups:
    """Return the pairs by window and key; `size`: of the windows."""
    if not len(pairs.places):
        return Groups([], [], pairs.places, pairs.places)
    window, starts = _numbered(pairs.starts)
    group, found = _numbered(window * len(records.keys) + records.codes[pairs.places])
    of_window, of_key = np.divmod(found, len(records.keys))
    windows = [
        KeptWindow(records.keys[key], start, start + size)
        for key, start in zip(of_key.tolist(), starts[of_window].tolist(), strict=True)
    ]
    return Groups(windows, np.bincount(group).tolist(), pairs.places, group)


def grouped_by_burst(records: Records, places: Numbers, runs: Numbers, gap: int) -> Groups:
    """Return the records at these places by the session that they make among themselves (WIN-2).

    Only records of the same run make a session; `runs` has that of each place. The groups are in the order of
    runs.
    """
    timestamps, codes = records.timestamps[places], records.codes[places]
    order = np.lexsort((timestamps, codes, runs))
    timestamps, codes, runs = timestamps[order], codes[order], runs[order]
    # A session ends `gap` after its last record, and one that begins right then still touches it.
    begins = np.ones(len(order), dtype=bool)
    begins[1:] = (runs[1:] != runs[:-1]) | (codes[1:] != codes[:-1]) | (np.diff(timestamps) > gap)
    first = np.nonzero(begins)[0]
    last = np.append(first[1:], len(order))[: len(first)] - 1
    windows = [
        KeptWindow(records.keys[key], start, end + gap)
        for key, start, end in zip(
            codes[first].tolist(), timestamps[first].tolist(), timestamps[last].tolist(), strict=True
        )
    ]
    groups = np.empty(len(order), dtype=np.int64)
    groups[order] = np.cumsum(begins) - 1
    sizes = np.bincount(groups, minlength=len(windows)).tolist()
    return Groups(windows, sizes, places, groups)


def _numbered(values: Numbers) -> tuple[Numbers, Numbers]:
    """Return the values numbered from 0, smallest first, and the different values.

    Values that are near one another are counted instead of sorted: that is several times as fast.
    """
    least = int(values.min())
    distance = int(values.max()) - least + 1
    if distance > 4 * len(values) + 1_000:
        found, numbers = np.unique(values, return_inverse=True)
        return numbers.astype(np.int64), found
    there = np.bincount(values - least, minlength=distance) > 0
    number_of = np.cumsum(there) - 1
    return number_of[values - least], np.nonzero(there)[0] + least
