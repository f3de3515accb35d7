"""`self_check` on an installation where everything works, and on one where some features do not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from spark_programs.queries import SparkQueries, spark_queries

from tidegauge_spark import self_check
from tidegauge_spark.source.exact_watermark import POLICY_CONF

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.slower]


@pytest.fixture(scope="module", name="queries")
def _queries() -> Iterator[SparkQueries]:
    with spark_queries() as queries:
        yield queries


def test_everything_works_here(queries: SparkQueries, tmp_path: Path) -> None:
    findings = self_check(queries.session, str(tmp_path / "new"))
    assert [str(finding) for finding in findings] == [
        "exact watermark (load): works",
        "alignment: works",
        "ProgressRecorder: works",
        "operators (run_windows): works",
    ]
    with pytest.raises(FileExistsError):
        self_check(queries.session, str(tmp_path / "new"))


def test_what_does_not_work_is_named_in_one_line(queries: SparkQueries, tmp_path: Path) -> None:
    queries.session.conf.set(POLICY_CONF, "max")
    try:
        findings = self_check(queries.session, str(tmp_path / "new"))
    finally:
        queries.session.conf.unset(POLICY_CONF)
    by_feature = {finding.feature: finding.problem for finding in findings}
    assert by_feature["exact watermark (load)"].startswith(f"{POLICY_CONF} = 'max': Spark then drops")
    assert by_feature["operators (run_windows)"] == ""
