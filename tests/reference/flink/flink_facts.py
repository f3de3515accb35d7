"""What Apache Flink answers, as test data: the recorded corpora, and Flink's own tests as scenarios.

`TIDEGAUGE_FLINK_CORPUS` names another folder of recordings of the same form to try instead of the project's.
"""

from __future__ import annotations

import gzip
import json
import os
from functools import cache
from pathlib import Path
from typing import Any

from conftest import ROOT

OWN = ROOT / "tests" / "data" / "flink"
FOLDER = Path(os.environ.get("TIDEGAUGE_FLINK_CORPUS") or OWN)
IS_OWN = FOLDER.resolve() == OWN.resolve()

Trace = dict[str, Any]


def corpus(kind: str) -> list[Path]:
    """The files of a kind of recording: `valve.jsonl.gz`, `valve_dir.jsonl.gz` for `valve`."""
    return sorted(
        file
        for file in FOLDER.glob(f"{kind}*.jsonl.gz")
        if file.name.partition(".")[0].partition("_")[0] == kind
    )


def traces_of(file: Path) -> list[Trace]:
    """The recorded traces of a file."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@cache
def scenarios_of(component: str) -> tuple[dict[str, Any], ...]:
    """Flink's own tests of a component, in the order of the file."""
    lines = (OWN / "scenarios.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(scenario for scenario in map(json.loads, lines) if scenario["component"] == component)
