"""What windows need to know of the aggregates of their records: nothing of what these are."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]


class Records(NamedTuple):
    """Records in their order. `timestamps`: ms; `MIN` where a record has none. `keys`: the different record
    keys. `codes`: of each record, which of `keys` it has."""

    timestamps: Numbers
    codes: Numbers
    keys: list[Any]


class Aggregation(Protocol):
    """Adds up the records of a window; what comes of it, the accumulated, is known here only."""

    def nothing(self) -> Any:
        """Return what no records add up to."""
        ...

    def added_up(self, places: Numbers, groups: Numbers, count: int) -> list[Any]:
        """Return what the records of each of `count` groups add up to.

        The record at `places[i]` among the records of this batch belongs to `groups[i]`. A record may be in
        several groups; each group has one at least. The records of a group are added in their order.
        """
        ...

    def merged(self, first: Any, second: Any) -> Any:
        """Return what both have added up to, together. The arguments are not used again."""
        ...

    def result(self, accumulated: Any) -> Any:
        """Return the result, which does not change if more is added to the accumulated."""
        ...
