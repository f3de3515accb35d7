"""The pages about symptoms of a job: every finding has one, and each has all parts."""

from __future__ import annotations

import re

import pytest

from tidegauge_pipeline.event_log.names import FINDINGS
from tidegauge_reports.site.guides.documents import SYMPTOMS, documents, symptom_paths
from tidegauge_reports.site.symptoms import Symptom, symptoms

ENGINES = ["Flink", "Spark", "Beam", "Kafka Streams"]
PARTS = ["How to see it", "Causes, the most likely first", "Fix", "What check-log prints", "Rules"]


def section(symptom: Symptom, title: str) -> str:
    """Return the text below a heading of a page."""
    return documents()[symptom.path].partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def test_every_finding_has_a_page() -> None:
    with_page = {finding for symptom in symptoms() for finding in symptom.findings}
    assert not set(FINDINGS) - with_page, "write a page below guides/symptoms, and list it there"


def test_the_list_names_each_page_with_its_title_and_findings() -> None:
    rows = re.findall(r"^\| \[(.+)\]\((.+)\) \| (.+) \|$", documents()[SYMPTOMS], re.MULTILINE)
    listed = [(title, f"guides/symptoms/{page}", findings) for title, page, findings in rows]
    assert listed == [
        (symptom.title, symptom.path, ", ".join(f"`{finding}`" for finding in symptom.findings))
        for symptom in symptoms()
    ]


@pytest.mark.parametrize("symptom", symptoms(), ids=symptom_paths())
def test_a_page_has_all_parts_for_all_engines_and_is_short(symptom: Symptom) -> None:
    text = documents()[symptom.path]
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == PARTS
    for part in ("How to see it", "Fix"):
        rows = re.findall(
            r"^\| ([A-Z][A-Za-z ]+?)(?: with tidegauge-spark)? \|", section(symptom, part), re.M
        )
        assert rows == ENGINES, part
    for finding in symptom.findings:
        assert f"`{finding}`" in section(symptom, "What check-log prints")
    assert re.search(r"\b[A-Z]+-\d+\b", section(symptom, "Rules"))
    assert re.search(r"^\*Sources:\* ", text, re.MULTILINE)
    assert 300 <= len(re.sub(r"[|\-]{3,}", "", text).split()) <= 560
