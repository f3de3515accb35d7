"""What the tests of campaigns share: a campaign without its reports, its rows, its results as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.dataset as ds

from tidegauge.run.request import Request
from tidegauge_pipeline.campaign.in_process import judged_in_process
from tidegauge_pipeline.campaign.specification import Exhaustively, Specification, chunks_of, specified


def campaign(
    folder: Path,
    adapter: str,
    component: str,
    count: int | None,
    every: Exhaustively | None = None,
    **asked: Any,
) -> Specification:
    """A campaign that is judged in this process's children."""
    request = Request(adapter=adapter, components=(component,), out=str(folder), **asked)
    specification = specified(request, count, every)
    judged_in_process(specification, chunks_of(specification), folder, lambda scenarios: None)
    return specification


def rows_in(folder: Path) -> list[dict[str, Any]]:
    """The rows of a campaign by index, without what they took."""
    table = ds.dataset(folder / "scenarios", partitioning="hive").to_table().drop(["duration"])
    return sorted(
        table.to_pylist(),
        key=lambda row: (row["component"], row["scenario"].rpartition(":")[0], row["index"]),
    )


def without_times(results: dict[str, Any], folder: Path) -> str:
    """The text of results without what differs from one time to the next."""
    kept = {name: value for name, value in results.items() if name not in ("started", "duration_s")}
    kept["items"] = [{**item, "duration_s": 0} for item in results["items"]]
    return str(kept).replace(str(folder), "OUT")
