"""The plain Java programs that reproduce Beam's live defects print the output on their page."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from maven_jars_of import folder_with

from tidegauge_adapters.beam_java.jars import JARS

pytestmark = pytest.mark.beam_java

FOLDER = Path(__file__).parents[2] / "adapters" / "beam_defects"
PRINTED = dict(
    re.findall(
        r"\[(\w+)\.java\]\(\1\.java\)\.\n\n```text\n(.*?)```", (FOLDER / "README.md").read_text(), re.S
    )
)
"""What each program prints, by its name."""


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the class path of the compiled programs and Beam's jars."""
    beam = folder_with(JARS) / "*"
    folder = tmp_path_factory.mktemp("classes")
    programs = sorted(map(str, FOLDER.glob("*.java")))
    subprocess.run(["javac", "-nowarn", "-d", str(folder), "-cp", str(beam), *programs], check=True)
    return f"{folder}:{beam}"


def test_every_program_stands_on_the_page_and_all_on_the_page_are_there() -> None:
    assert sorted(PRINTED) == sorted(file.stem for file in FOLDER.glob("*.java"))


@pytest.mark.parametrize("name", PRINTED)
def test_beam_does_what_the_page_says(name: str, classes: str) -> None:
    ended = subprocess.run(
        ["java", "-Xmx256m", "-cp", classes, name], capture_output=True, text=True, check=False, timeout=120
    )
    assert ended.stdout == PRINTED[name], ended.stderr
    assert ended.returncode == 0
