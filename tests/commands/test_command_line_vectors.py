"""`tidegauge vectors`: golden vectors are checked, and completed after an edit by hand."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from conftest import ROOT, Command
from typer.testing import CliRunner

from tidegauge.__main__ import application
from tidegauge.vectors.layout import vectors_laid_out
from tidegauge.vectors.published import load_vectors

RIGHT = "The vectors are as they must be\n"
VECTORS = load_vectors("valve")[:3]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of vectors as the commands write it."""
    (tmp_path / "valve.json").write_bytes(vectors_laid_out(VECTORS))
    return tmp_path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(application(), ["vectors", *map(str, arguments)])


def edited(folder: Path, **fields: Any) -> Path:
    """The folder's document, with other fields in its first vector."""
    document = folder / "valve.json"
    first, *others = json.loads(document.read_bytes())
    document.write_text(json.dumps([{**first, **fields}, *others]), encoding="utf-8")
    return document


def test_vectors_that_are_as_they_must_be_pass(folder: Path) -> None:
    ended = run(folder)
    assert (ended.exit_code, ended.stdout) == (0, RIGHT)


def test_another_layout_is_complained_of_and_put_right(folder: Path) -> None:
    document = edited(folder)
    ended = run(folder)
    assert ended.exit_code == 1
    assert f"{document}: not as it must be" in ended.stdout
    assert "tidegauge vectors --rewrite" in ended.stdout
    assert run(folder, "--rewrite").exit_code == 0
    assert document.read_bytes() == vectors_laid_out(VECTORS)


def test_outputs_of_another_engine_are_complained_of(folder: Path) -> None:
    edited(folder, expected=[{"policies": {}, "outputs": [[]]}])
    ended = run(folder)
    assert ended.exit_code == 1
    assert f"{VECTORS[0].id}: the expected outputs are not those of the reference" in ended.stdout


def test_a_vector_written_by_hand_is_completed(folder: Path) -> None:
    """Its outputs may be left empty, and what is said twice need be written once only."""
    written = json.loads(vectors_laid_out(VECTORS[:1]))[0]
    scenario = {**written["scenario"], "origin": {"kind": "own"}}
    document = edited(folder, id="valve/by-hand", source="E6", scenario=scenario, expected=[])
    ended = run(folder, "--rewrite")
    assert ended.exit_code == 0, ended.stderr
    assert "valve/by-hand: the expected outputs are now those of the reference" in ended.stdout
    first = json.loads(document.read_bytes())[0]
    assert (first["scenario"]["id"], first["scenario"]["origin"]["of"]) == ("valve/by-hand", "E6")
    assert first["expected"] == written["expected"]
    assert run(folder).stdout == RIGHT


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "an id twice": ({"id": VECTORS[1].id}, f"another vector is called {VECTORS[1].id!r} already"),
    "a rule that does not decide": ({"rules": ["GEN-1"]}, "GEN-1 decides nothing in"),
    "no title": ({"title": ""}, "not an array of vectors: Expected `str` of length >= 1"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_completed_is_refused(folder: Path, case: str) -> None:
    change, part = REFUSED[case]
    before = edited(folder, **change).read_bytes()
    ended = run(folder, "--rewrite")
    assert (ended.exit_code, ended.stdout) == (2, "")
    assert part in ended.stderr
    assert (folder / "valve.json").read_bytes() == before


@pytest.mark.slower
def test_in_a_clone_the_vectors_of_the_specification_are_checked_with_their_schema(
    tidegauge: Command, tmp_path: Path
) -> None:
    shutil.copytree(ROOT / "spec" / "tidegauge_spec", tmp_path / "spec" / "tidegauge_spec")
    (tmp_path / "pyproject.toml").write_text("", encoding="utf-8")
    folders = [str(tmp_path / "spec"), os.environ.get("PYTHONPATH", "")]
    clone = {"PYTHONPATH": os.pathsep.join(filter(None, folders))}
    schema = tmp_path / "spec" / "tidegauge_spec" / "vectors" / "schema.json"
    right = schema.read_bytes()
    schema.write_text("{}", encoding="utf-8")
    ended = tidegauge("vectors", "--rewrite", environment=clone)
    assert (ended.returncode, ended.stdout) == (0, f"{schema}: written\n")
    assert schema.read_bytes() == right
    assert tidegauge("vectors", environment=clone).stdout == RIGHT
