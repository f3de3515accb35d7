"""The adapter of Flink where something is missing, and its driver; no jar of Flink's is needed."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from conftest import Command

from tidegauge_adapters.flink.driver import DRIVER, driver_for
from tidegauge_adapters.flink.jars import RELEASES

JAVA_17 = 61
"""The version of class files."""


@pytest.mark.parametrize("release", RELEASES)
def test_the_drivers_are_built_from_their_sources(release: str) -> None:
    """If this fails: `python -m tidegauge_adapters.flink.driver --flink FOLDER...`, a folder for each release."""
    driver = driver_for(release)
    assert driver.digest_in_jar() == driver.digest_of_sources()


@pytest.mark.parametrize("release", RELEASES[1:])
def test_the_driver_for_an_older_release_has_only_the_classes_that_differ(release: str) -> None:
    older, newest = driver_for(release).classes(), DRIVER.classes()
    assert 0 < len(older) < 10
    assert all(content != newest.get(name) for name, content in older.items())


def test_the_driver_is_small_and_runs_on_java_17() -> None:
    assert DRIVER.path.stat().st_size < 150_000
    with zipfile.ZipFile(DRIVER.path) as jar:
        classes = [name for name in jar.namelist() if name.endswith(".class")]
        assert len(classes) > 20
        assert {int.from_bytes(jar.read(name)[6:8]) for name in classes} == {JAVA_17}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["flink=nowhere"], "option flink='nowhere' is no folder"),
        pytest.param(["flink=empty"], "there is no flink-dist-VERSION.jar", marks=pytest.mark.slower),
        pytest.param(["flink=two"], "there are 2 versions of Flink", marks=pytest.mark.slower),
        (
            ["flink=older"],
            "flink-dist-1.18.1.jar in the folder 'older' is of Flink 1.18.1: the adapter drives 2.3, 2.2",
        ),
        pytest.param(
            ["flink=newer"], "flink-runtime-2.4.0.jar in the folder 'newer' is of", marks=pytest.mark.slower
        ),
        pytest.param(["flink=unnamed"], "is a file without a version in its name", marks=pytest.mark.slower),
        pytest.param(
            ["flink=previous", "alignment-buffer=3"],
            "option alignment-buffer: Flink 2.2.1 has no buffer",
            marks=pytest.mark.slower,
        ),
        (["splits=many"], "option splits='many': output or bare"),
        pytest.param(
            ["alignment-buffer=-1"],
            "option alignment-buffer='-1' is no number from 0 on",
            marks=pytest.mark.slower,
        ),
        (["jars=x"], "unknown option 'jars'"),
    ],
)
def test_what_is_wrong_with_the_jars_is_said_in_one_line(
    tidegauge: Command, tmp_path: Path, options: list[str], words: str
) -> None:
    (tmp_path / "empty").mkdir()
    for jar in (
        "two/flink-dist-2.2.0.jar",
        "two/flink-dist-2.2.1.jar",
        "older/flink-dist-1.18.1.jar",
        "newer/flink-runtime-2.4.0.jar",
        "unnamed/flink-dist.jar",
        "previous/flink-runtime-2.2.1.jar",
    ):
        (tmp_path / jar).parent.mkdir(exist_ok=True)
        (tmp_path / jar).touch()
    given = [argument for option in options for argument in ("--option", option)]
    ended = tidegauge("run", "--adapter", "flink", *given)
    assert (ended.returncode, ended.stdout) == (2, "")
    (line,) = ended.stderr.splitlines()
    assert words in line


def test_a_jar_that_is_none_of_flink_s_is_said_in_one_line(tidegauge: Command, tmp_path: Path) -> None:
    (tmp_path / "flink-dist-2.3.0.jar").write_bytes(b"no jar")
    ended = tidegauge("run", "--adapter", "flink", "--option", "flink=.")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert len(ended.stderr.splitlines()) == 1
    assert "cannot be asked who it is" in ended.stderr


def test_without_java_it_is_said_in_one_line(tidegauge: Command, tmp_path: Path) -> None:
    environment = {"PATH": str(tmp_path), "JAVA_HOME": ""}
    ended = tidegauge("run", "--adapter", "flink", environment=environment)
    assert (ended.returncode, ended.stdout) == (2, "")
    (line,) = ended.stderr.splitlines()
    assert "Flink needs Java 17 or later" in line
    assert "apt-get install" in line
