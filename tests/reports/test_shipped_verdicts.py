"""The verdicts that come with Tidegauge are readable, of this version, and about exactly the rules there are."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import PATIENCE, plain_environment
from report_samples import job_picture, results, rule

import tidegauge_reports.shipped
from tidegauge import __version__
from tidegauge.wire.results import Results, decode_results, encode_results
from tidegauge.wire.scenario import BadInput
from tidegauge_reports.matrix.columns import Run
from tidegauge_reports.matrix.files import write_matrix
from tidegauge_reports.shipped import encode_shipped, engine_name, load_shipped, shipped_form
from tidegauge_spec import SPEC_VERSION, load_registry

ENGINES = ("reference", "spark", "spark-native")
LARGEST = 600_000

each_engine = pytest.mark.parametrize("engine", ENGINES)


def test_the_three_engines_of_the_project_are_shipped() -> None:
    assert tuple(load_shipped()) == ENGINES


@each_engine
def test_shipped_verdicts_are_about_exactly_the_rules_there_are(engine: str) -> None:
    shipped = load_shipped()[engine]
    assert [found.id for found in shipped.rules] == list(load_registry().rules), (
        f"the rules have changed: run `tidegauge run --adapter {engine}` again, "
        "then `python -m tidegauge_reports.shipped FOLDER`"
    )
    assert (shipped.spec, shipped.tidegauge) == (SPEC_VERSION, __version__)
    for found, rule_now in zip(shipped.rules, load_registry().rules.values(), strict=True):
        assert (found.level, found.since) == (rule_now.level, rule_now.since), found.id


@each_engine
def test_shipped_verdicts_are_of_a_whole_run(engine: str) -> None:
    shipped = load_shipped()[engine]
    assert engine_name(shipped) == engine
    assert shipped.complete
    assert not any(shipped.selection.values())
    assert (shipped.budget, shipped.exit_code) == ("default", 0)


def test_the_picture_of_the_readme_is_of_these_verdicts(tmp_path: Path, root: Path) -> None:
    write_matrix([Run(results, "") for results in load_shipped().values()], tmp_path)
    for name in ("matrix.svg", "matrix.md"):
        assert (root / "reports" / "matrix" / name).read_bytes() == (tmp_path / name).read_bytes(), (
            "run `tidegauge matrix reports/tidegauge_reports/shipped/{reference,spark,spark-native}.json --out reports/matrix`"
        )


@each_engine
def test_a_shipped_document_is_as_the_command_writes_it(engine: str) -> None:
    document = (Path(tidegauge_reports.shipped.__file__).parent / f"{engine}.json").read_bytes()
    assert encode_shipped(decode_results(document, engine)) == document
    assert len(document) < LARGEST
    for word in (b'"platform"', b'"cpus"', b"/tmp/", b"site-packages", b"--out"):
        assert word not in document


def sample(**fields: object) -> Results:
    """A run of the reference with something of everything."""
    command = ["tidegauge", "run", "--adapter", "reference", "-n", "2", "--out", "/home/me", "--seed", "3"]
    environment = {"python": "3.11.7", "platform": "Linux", "cpus": "2"}
    values = {"command": command, "environment": environment, "jobs": [job_picture()]}
    return results([rule(1), rule(2, "fail")], **{**values, **fields})


def test_what_is_shipped_is_every_verdict_and_nothing_of_the_machine() -> None:
    full = sample()
    shipped = shipped_form(full)
    assert shipped.rules == full.rules
    assert shipped.properties == full.properties
    assert shipped.counts == full.counts
    assert shipped.jobs == []
    assert shipped.items == []
    assert shipped.environment == {"python": "3.11.7"}
    assert shipped.command == ["tidegauge", "run", "--adapter", "reference", "--seed", "3"]
    assert decode_results(encode_shipped(full), "x") == shipped


@pytest.mark.parametrize("adapter", ["my_module:Engine", "mutant:valve-no-flush", "../x"])
def test_only_a_registered_adapter_can_be_shipped(adapter: str) -> None:
    with pytest.raises(BadInput, match="names no registered adapter"):
        engine_name(sample(command=["tidegauge", "run", "--adapter", adapter]))


def ship(*places: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tidegauge_reports.shipped", *map(str, places)],
        env=plain_environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


def test_bad_runs_are_not_shipped(tmp_path: Path) -> None:
    assert "which runs?" in ship().stderr
    absent = ship(tmp_path / "absent")
    assert absent.returncode == 2
    assert "No such file or directory" in absent.stderr
    foreign = tmp_path / "results.json"
    foreign.write_bytes(encode_results(sample(command=["tidegauge", "run"])))
    ended = ship(tmp_path)
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
    assert json.loads(foreign.read_bytes())["command"] == ["tidegauge", "run"]
