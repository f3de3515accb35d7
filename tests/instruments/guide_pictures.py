"""The pictures of the guides, drawn from the results of the run that the guides show.

python tests/instruments/guide_pictures.py tidegauge-results/results.json guides/pictures
"""

from __future__ import annotations

import sys
from pathlib import Path

from tidegauge.wire.results import Results, read_results
from tidegauge_reports.histories.timeline import timeline_svg
from tidegauge_reports.machines.badge import render
from tidegauge_reports.text_file import write_text_file

RULE = "VALVE-15"


def pictures(results: Results) -> dict[str, str]:
    """Each picture by the name of its file."""
    (counterexample,) = (rule.counterexample for rule in results.rules if rule.id == RULE)
    assert counterexample is not None
    return {f"{RULE}.svg": timeline_svg(counterexample) + "\n", "badge.svg": render(results) + "\n"}


if __name__ == "__main__":
    read, into = map(Path, sys.argv[1:])
    for name, drawing in pictures(read_results(read)).items():
        write_text_file(into / name, drawing)
