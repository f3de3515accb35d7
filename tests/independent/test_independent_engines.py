"""Engines with defects that did not come from this project: they are caught, broken rules are accused, none passes."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest
from conftest import others_slower
from independent.catalog import COLLECTIONS, IndependentEngine, load
from independent.figures import Judged, figures
from independent.measure import judged

ONE_OF_EACH_CLASS = ("KC01", "KE01", "KF01", "KG03", "KQ02", "KR07", "S01", "S09", "V16", "B07")
"""Counters that saturate, "ever" in place of "now", the first of its kind, what has gone, equal values, what a
restore forgets; and four on which broken rules once passed."""


@pytest.fixture(scope="module")
def engines() -> dict[str, IndependentEngine]:
    """All of them, by name."""
    everyone = []
    for collection in COLLECTIONS:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
            everyone += process.submit(load, collection).result()
    return {engine.name: engine for engine in everyone}


def test_there_are_engines_of_each_component_and_half_of_them_were_not_in_view(
    engines: dict[str, IndependentEngine],
) -> None:
    assert len(engines) > 300
    assert len({engine.component for engine in engines.values()}) == 11
    assert sum(engine.apart for engine in engines.values()) >= len(engines) / 2


@pytest.mark.parametrize("name", others_slower(ONE_OF_EACH_CLASS, ("KC01",)))
def test_a_broken_rule_is_accused_and_none_passes(
    name: str, engines: dict[str, IndependentEngine], tmp_path: Path
) -> None:
    verdicts = judged(engines[name], "smoke", 1, tmp_path)
    assert verdicts.caught
    assert verdicts.accused
    assert not verdicts.passing


def test_the_figures_count_each_engine_once(engines: dict[str, IndependentEngine]) -> None:
    engine = engines["V03"]
    right = {"VALVE-14": "fail", "VALVE-6": "not-tested", "VALVE-1": "pass", "VALVE-2": "pass"}
    wrong = {"VALVE-14": "pass", "VALVE-6": "pass", "VALVE-1": "fail", "VALVE-2": "suspect"}
    unseen = dict.fromkeys(right, "pass")
    everyone = Judged(engine, right, "VALVE-14"), Judged(engine, wrong), Judged(engine, unseen)
    assert list(figures(everyone)) == [
        "engines 3, caught 2 of 3 (66.7%)",
        "a broken rule is accused: 1 of 2 (50.0%) of those",
        "the rule under review in the first difference is accused: 1 of 1 (100.0%)",
        "only innocent rules fail: 1 of 2 (50.0%)",
        "every broken rule passes: 1",
        "broken rules that pass: 2 of 4 (50.0%)",
        "suspects, where there are any: median 1, most 1",
        "rules not broken that pass: 2 of 4 (50.0%)",
        "  valve: 2 of 4 (50.0%)",
    ]
