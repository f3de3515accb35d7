"""Files that a user wrote with an editor that begins them with a mark of UTF-8."""

from codecs import BOM_UTF8
from pathlib import Path

from engines import valve_scenario

from tidegauge.judging.reference.deviation_file import update_file
from tidegauge.judging.reference.deviations import read_deviations
from tidegauge.vectors.published import load_vectors, read_vector_file
from tidegauge.wire.scenario import encode_scenario, read_scenario_file
from tidegauge_spec import vectors_document

KNOWN = b"""# ours\r
[[deviation]]\r
like = "mutant:valve-no-flush"\r
reason = "r"\r
link = "l"\r
"""


def marked(file: Path, document: bytes) -> Path:
    file.write_bytes(BOM_UTF8 + document)
    return file


def test_scenarios_are_read(tmp_path: Path) -> None:
    scenario = valve_scenario(2, "w0=5")
    assert read_scenario_file(marked(tmp_path / "mine.jsonl", encode_scenario(scenario))) == [scenario]


def test_vectors_are_read(tmp_path: Path) -> None:
    published = vectors_document("clock")
    assert read_vector_file(marked(tmp_path / "clock.json", published)) == load_vectors("clock")


def test_known_deviations_are_read_and_brought_up_to_date(tmp_path: Path) -> None:
    file = marked(tmp_path / "known.toml", KNOWN)
    known = read_deviations(file).deviation
    assert [one.like for one in known] == ["mutant:valve-no-flush"]
    update_file(file, known, ())
    assert file.read_bytes().startswith(b"# ours")
    assert read_deviations(file).deviation == ()
