"""The order in which rows are judged: by job, source, subtask and sequence."""

from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from .rows import Rows

BY = ("job", "source", "subtask", "sequence")


def is_in_order(table: Any) -> bool:
    """Whether rows are in this order."""
    rows = Rows(table)
    first = np.flatnonzero(rows.begins_operator)
    names = [(table["job"][int(at)].as_py(), table["source"][int(at)].as_py()) for at in first]
    if any(one >= other for one, other in pairwise(names)):
        return False
    numbers = table["subtask"].to_numpy().astype(np.int64)
    same_operator = ~rows.begins_operator[1:]
    same_subtask = ~rows.begins_subtask[1:]
    return bool(
        (np.diff(numbers)[same_operator] >= 0).all() and (np.diff(rows.sequence)[same_subtask] >= 0).all()
    )


def in_order(table: Any) -> Any:
    """The rows in this order; rows with the same number stay as they are among themselves."""
    if is_in_order(table):
        return table
    keys = [table[name] for name in BY]
    numbers = [_ranks(key) if pa.types.is_string(key.type) else key.to_numpy() for key in keys]
    return table.take(pa.array(np.lexsort(numbers[::-1])))


def _ranks(column: Any) -> Any:
    """The place of each text among all different ones."""
    encoded = column.combine_chunks().dictionary_encode()
    ranks = np.empty(len(encoded.dictionary), dtype=np.int64)
    ranks[np.argsort(np.array(encoded.dictionary.to_pylist(), dtype=object))] = np.arange(len(ranks))
    return ranks[encoded.indices.to_numpy(zero_copy_only=False)]
