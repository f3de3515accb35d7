"""The adapter of Apache Beam for Java without jars or Maven, and its driver jar. No jar of Beam is needed."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from conftest import Command

from tidegauge_adapters.beam_java.driver import DRIVER
from tidegauge_adapters.beam_java.jars import VERSION, fetch

JAVA_17 = 61
"""The version of class files."""

RUNNER = f"beam-runners-direct-java-{VERSION}.jar"


def test_the_driver_is_built_from_its_sources() -> None:
    """If this fails: `python -m tidegauge_adapters.beam_java.driver`."""
    assert DRIVER.digest_in_jar() == DRIVER.digest_of_sources()


def test_the_driver_is_small_and_runs_on_java_17() -> None:
    assert DRIVER.path.stat().st_size < 30_000
    with zipfile.ZipFile(DRIVER.path) as jar:
        classes = [name for name in jar.namelist() if name.endswith(".class")]
        assert len(classes) > 5
        assert {int.from_bytes(jar.read(name)[6:8]) for name in classes} == {JAVA_17}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], f"{RUNNER} is not in the folder"),
        (["beam=nowhere"], "option beam='nowhere' is not a folder"),
        (["beam=."], f"{RUNNER} is not in the folder '.'"),
        (["jars=x"], "unknown option 'jars'"),
        (["trigger=late"], "unknown value of the option trigger 'late'"),
        (["times=all"], "unknown value of the option times 'all'"),
    ],
)
def test_a_missing_jar_is_reported_in_one_line_with_the_command(
    tidegauge: Command, tmp_path: Path, options: list[str], words: str
) -> None:
    given = [argument for option in options for argument in ("--option", option)]
    environment = {"TIDEGAUGE_BEAM_JAVA_JARS": str(tmp_path / "empty")}
    ended = tidegauge("run", "--adapter", "beam-java", *given, environment=environment)
    assert (ended.returncode, ended.stdout) == (2, "")
    (line,) = ended.stderr.splitlines()
    assert words in line
    assert "unknown" in words or "python -m tidegauge_adapters.beam_java.jars" in line


def test_files_that_are_not_the_jars_are_reported_in_one_line(tidegauge: Command, tmp_path: Path) -> None:
    for name in ("beam-runners-direct-java", "beam-sdks-java-core"):
        (tmp_path / f"{name}-{VERSION}.jar").write_bytes(b"no jar")
    ended = tidegauge("run", "--adapter", "beam-java", "--option", "beam=.")
    assert (ended.returncode, ended.stdout) == (2, "")
    (line,) = ended.stderr.splitlines()
    assert "cannot be asked who it is" in line


def test_without_maven_the_fetch_names_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ValueError, match="apt-get install maven") as refused:
        fetch(tmp_path / "jars")
    assert "\n" not in str(refused.value)


def test_what_maven_cannot_fetch_is_reported_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    maven = tmp_path / "mvn"
    maven.write_text("#!/bin/sh\necho '[ERROR] no such host'\necho more\nexit 1\n")
    maven.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    with pytest.raises(ValueError, match=f"Maven cannot fetch {RUNNER}: .* no such host") as refused:
        fetch(tmp_path / "jars")
    assert "\n" not in str(refused.value)
    assert list((tmp_path / "jars").iterdir()) == []
