"""A campaign on Spark gives the rows of one without it."""

from __future__ import annotations

from pathlib import Path

import pytest
from campaigns import campaign, rows_in

from tidegauge.run.request import Request
from tidegauge.wire.scenario import BadInput
from tidegauge_pipeline.campaign.specification import chunks_of, specified
from tidegauge_pipeline.on_spark.campaign import judged_on_spark
from tidegauge_pipeline.on_spark.session import session

pytestmark = [pytest.mark.slower, pytest.mark.xdist_group("spark")]


def test_rows_are_the_same_and_a_bad_folder_is_named(tmp_path: Path) -> None:
    mutant = "mutant:clock-reason-counts-once"
    request = Request(adapter=mutant, components=("clock",), out=str(tmp_path))
    specification = specified(request, 9000, None)
    chunks = chunks_of(specification)
    (tmp_path / "taken").write_text("a file")
    told: list[int] = []
    with session("local[2]") as spark:
        judged_on_spark(spark, specification, chunks, tmp_path / "spark", told.append)
        with pytest.raises(BadInput, match="taken cannot be written"):
            judged_on_spark(spark, specification, chunks, tmp_path / "taken", told.append)
    assert len(chunks) == 3
    campaign(tmp_path / "here", mutant, "clock", 9000)
    rows = rows_in(tmp_path / "spark")
    assert rows == rows_in(tmp_path / "here")
    assert {row["verdict"] for row in rows} == {"agree", "differ"}
