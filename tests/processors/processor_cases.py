"""Processors that their authors wrote without the kit, and the mistakes that can be switched on in them.

Each entry says how a job would describe the processor, and by which check each mistake shows.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from tidegauge_adapters.processors import ProcessorUnderTest

sys.path.insert(0, str(Path(__file__).parents[1] / "independent" / "processors"))

import job_processors as job
import own_processors as own

ROWS = "user string, ts long, value long"
RESULTS = "user string, what string, start long, end long, vals array<long>"


@dataclass(frozen=True)
class Case:
    """A processor: what its job says of it, and for each mistake the checks of which one has to fail first.

    An empty set says that the mistake shows nowhere in such a job, with the reason beside it.
    """

    make: Callable[..., Any]
    described: Mapping[str, Any]
    mistakes: Mapping[str, set[str]] = field(default_factory=dict)

    def subject(self, bug: str = "") -> ProcessorUnderTest:
        """The processor with a mistake, or right."""
        return ProcessorUnderTest(make=partial(self.make, bug=bug), **self.described)


def counts(rows: pd.DataFrame) -> pd.DataFrame:
    """The values of each minute and user."""
    start = rows.ts - rows.ts % 60_000
    grouped = rows.assign(start=start).groupby(["user", "start"]).value.apply(sorted).reset_index()
    return grouped.assign(what="fire", end=grouped.start + 60_000, vals=grouped.value)


def sessions(rows: pd.DataFrame, gap: int = 30_000) -> pd.DataFrame:
    """The sessions of each user: rows that are at most `gap` apart."""
    results = []
    for user, of_user in rows.sort_values("ts").groupby("user"):
        open_ = None
        for ts, value in zip(of_user.ts, of_user.value, strict=True):
            if open_ is not None and ts <= open_["end"]:
                open_["end"] = max(open_["end"], ts + gap)
                open_["vals"].append(value)
            else:
                open_ = {"user": user, "what": "fire", "start": ts, "end": ts + gap, "vals": [value]}
                results.append(open_)
    return pd.DataFrame([{**result, "vals": sorted(result["vals"])} for result in results])


def first_of_an_id(rows: pd.DataFrame, keep: int = 60_000) -> pd.DataFrame:
    """The first row of each value; a value is forgotten when the watermark is `keep` after it."""
    until: dict[tuple[str, int], int] = {}
    passed = []
    for row in rows.itertuples():
        known = until.get((row.user, row.value))
        if known is None or known <= row.watermark:
            until[row.user, row.value] = row.ts + keep
            passed.append({"user": row.user, "what": "pass", "start": row.ts, "vals": [row.value]})
    return pd.DataFrame(passed, columns=["user", "what", "start", "vals"])


def end_of(size: int, column: str = "ts") -> Callable[[Any, int], bool]:
    """Rows are late when the window of `size` ms that they are in has ended."""

    def is_late(row: Any, watermark: int) -> bool:
        moment = getattr(row, column)
        ts = moment if isinstance(moment, int) else int(moment.timestamp() * 1000)
        return bool(ts - ts % size + size <= watermark)

    return is_late


def _described(case: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """The description that an author gave, in the words of the kit."""
    forms = {"transformWithStateInPandas": "pandas", "applyInPandasWithState": "group-state"}
    described = {
        "input_schema": case["input_schema"],
        "output_schema": case["output_schema"],
        "key": case["key"],
        "time": case["time_column"] or "",
        "time_mode": case["time_mode"].replace("Timeout", ""),
        "form": forms.get(case["api"], "rows"),
        "state_schema": case.get("state_schema"),
        "any_order": not case["order_matters"],
        "batch": case["batch"],
    }
    return {**described, **more}


def _of(name: str, mistakes: Mapping[str, set[str]], **more: Any) -> Case:
    case = own.CASES[name]
    return Case(
        partial(case.get("factory") or case["cls"], **case["args"]), _described(case, **more), mistakes
    )


_BALANCES = [{"player": "a", "points": 3}, {"player": "b", "points": 4}, {"player": "a", "points": 5}]
_WINDOWS = {"once": ("start", "end"), "counts_once": lambda row: row.what == "fire", "due": "end"}

CASES: dict[str, Case] = {
    "tumbling": Case(
        job.TumblingCount,
        {
            "input_schema": ROWS,
            "output_schema": RESULTS,
            "key": "user",
            "time": "ts",
            "late_rows": "seen",
            "late": end_of(60_000),
            "late_output": lambda row: row.what == "late",
            "batch": counts,
            **_WINDOWS,
        },
        {
            "late_lt": {"timers", "batch"},
            "late_row": {"batch"},
            "late_counted": {"end", "batch"},
            "timer_plus1": {"due"},
            "not_cleared": {"end"},
            # The first timer returns all windows that are due, in the order in which their timers would.
            "all_due": set(),
        },
    ),
    "sessions": Case(
        job.Sessions,
        {
            "input_schema": ROWS,
            "output_schema": RESULTS,
            "key": "user",
            "time": "ts",
            "batch": sessions,
            **_WINDOWS,
        },
        {
            "touch_lt": {"batch"},
            # Spark drops the rows to which it applies; the rules of the chapter WIN find it where they are seen.
            "late_before_merge": set(),
            "timer_left": {"due", "once", "batch"},
            "not_cleared": {"end"},
        },
    ),
    "dedup": Case(
        job.Dedup,
        {
            "input_schema": ROWS,
            "output_schema": RESULTS,
            "key": "user",
            "time": "ts",
            "late_rows": "seen",
            "late": lambda row, watermark: row.ts + 60_000 <= watermark,
            "batch": first_of_an_id,
            "arrived": "watermark",
        },
        {"extends": {"batch"}, "not_cleared": {"end"}},
    ),
    "welford": _of(
        "WelfordMean",
        {
            "timer_early": {"due"},
            "n_in_attr": {"state"},
            "not_removed": {"end"},
            "population": {"batch"},
        },
        due="win_end",
    ),
    "top-n": _of(
        "TopN",
        {
            "late_lt": {"timers"},
            "ties_lost": {"batch", "order"},
            "all_windows": {"batch"},
            "timer_again": {"timers"},
        },
        late_rows="seen",
        late=end_of(60_000),
        late_output=lambda row: row.what == "late",
    ),
    "interval-join": _of(
        "IntervalJoin",
        {
            "pairs_twice": {"cuts", "batch"},
            "not_removed": {"end"},
            "bound_exclusive": {"batch"},
            "appended_twice": {"cuts", "batch"},
        },
        examples=[{"side": "left"}, {"side": "right"}],
    ),
    "sorter": _of(
        "Sorter",
        {
            "unsorted": {"batch"},
            "unstable": {"batch"},
            "same_time_lost": {"batch"},
            "buffer_attr": {"state"},
            "first_timer_only": {"end", "batch"},
        },
        keeps=("emitted",),  # the number of rows so far, for good
    ),
    "ttl-session": _of(
        "TtlSession",
        {
            "ttl_short": {"cuts", "batch"},
            "timer_left": {"cuts", "batch"},
            "state_left": {"cuts", "batch"},  # it expires, and so it is not left at the end
        },
        arrived="arrived_ms",
    ),
    "pandas-count": _of("PandasCount", {"first_chunk": {"cuts"}, "replaced": {"cuts", "batch"}}),
    "running-total": _of(
        "running_total",
        {"timeout_once": {"cuts", "end"}, "not_removed": {"end"}},
        updates=("closed",),
        batch=None,  # an account that goes idle begins again, which depends on the watermark
    ),
    "initial-state": _of(
        "WithInitialState",
        {"overwritten": {"cuts", "state"}, "twice": {"batch"}, "last_wins": {"batch"}},
        initial_schema=own.WithInitialState.INITIAL_SCHEMA,
        initial_rows=_BALANCES,
        batch=lambda rows: own.batch_with_initial_state(rows, pd.DataFrame(_BALANCES)),
    ),
}
