"""Adapters that fetch their jars with Maven, and their driver jars. The tests need neither engine nor Maven."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from conftest import Command

from tidegauge_adapters.beam_java.driver import DRIVER as BEAM_DRIVER
from tidegauge_adapters.beam_java.jars import JARS as BEAM
from tidegauge_adapters.driver_jar import DriverJar
from tidegauge_adapters.hazelcast.driver import DRIVER as HAZELCAST_DRIVER
from tidegauge_adapters.hazelcast.jars import JARS as HAZELCAST
from tidegauge_adapters.kafka_streams.driver import DRIVER as KAFKA_STREAMS_DRIVER
from tidegauge_adapters.kafka_streams.jars import JARS as KAFKA_STREAMS
from tidegauge_adapters.maven_jars import MavenJars

JAVA_17 = 61
"""The major version of class files of Java 17."""

PACKAGES = {
    BEAM_DRIVER: {"beam", "direct"},
    HAZELCAST_DRIVER: {"driver", "execution", "hazelcast", "processor"},
    KAFKA_STREAMS_DRIVER: {"driver", "kafka"},
}
"""The folders of the classes in each driver."""

each_driver = pytest.mark.parametrize("driver", PACKAGES, ids=lambda driver: driver.folder.name)

FIRST_JARS = {
    "beam-java": "beam-runners-direct-java-2.73.0.jar",
    "hazelcast": "hazelcast-5.7.0.jar",
    "kafka-streams": "kafka-streams-4.4.0.jar",
}
"""The first jar that each adapter looks for, by the name of the adapter."""

ENGINES = (BEAM, HAZELCAST, KAFKA_STREAMS)

each_engine = pytest.mark.parametrize("jars", ENGINES, ids=lambda jars: jars.engine)


@each_driver
def test_a_driver_is_built_from_its_sources(driver: DriverJar) -> None:
    """If this fails: `python -m tidegauge_adapters.ENGINE.driver`."""
    assert driver.digest_in_jar() == driver.digest_of_sources()


@each_driver
def test_a_driver_is_small_and_runs_on_java_17(driver: DriverJar) -> None:
    assert driver.path.stat().st_size < 30_000
    with zipfile.ZipFile(driver.path) as jar:
        classes = [name for name in jar.namelist() if name.endswith(".class")]
        assert len(classes) > 5
        assert {Path(name).parent.name for name in classes} == PACKAGES[driver]
        assert {int.from_bytes(jar.read(name)[6:8]) for name in classes} == {JAVA_17}


@each_engine
def test_missing_jars_are_reported_in_one_line_with_the_command(
    tidegauge: Command, tmp_path: Path, jars: MavenJars
) -> None:
    variable = f"TIDEGAUGE_{jars.engine.upper().replace('-', '_')}_JARS"
    module = f"python -m tidegauge_adapters.{jars.engine.replace('-', '_')}.jars"
    first = FIRST_JARS[jars.engine]
    for options, words in (
        ((), f"{first} is not in the folder '{tmp_path / 'empty'}'"),
        (("--option", f"{jars.option}=nowhere"), f"option {jars.option}='nowhere' is not a folder"),
        (("--option", f"{jars.option}=."), f"{first} is not in the folder '.'"),
    ):
        environment = {variable: str(tmp_path / "empty")}
        ended = tidegauge("run", "--adapter", jars.engine, *options, environment=environment)
        assert (ended.returncode, ended.stdout) == (2, "")
        (line,) = ended.stderr.splitlines()
        assert words in line
        assert module in line


@pytest.mark.parametrize(
    ("adapter", "option", "words"),
    [
        ("beam-java", "jars=x", "unknown option 'jars'"),
        ("beam-java", "trigger=late", "unknown value of the option trigger 'late'"),
        ("beam-java", "times=all", "unknown value of the option times 'all'"),
        ("hazelcast", "jars=x", "unknown option 'jars'"),
        ("kafka-streams", "jars=x", "unknown option 'jars'"),
        ("kafka-streams", "emit=final", "unknown value of option emit 'final'"),
        ("kafka-streams", "retention=1", "unknown value of option retention '1'"),
    ],
)
def test_an_unknown_option_or_value_is_rejected_in_one_line(
    tidegauge: Command, adapter: str, option: str, words: str
) -> None:
    ended = tidegauge("run", "--adapter", adapter, "--option", option)
    assert (ended.returncode, ended.stdout) == (2, "")
    (line,) = ended.stderr.splitlines()
    assert words in line


@each_engine
def test_files_that_are_not_the_jars_are_reported_in_one_line(
    tidegauge: Command, tmp_path: Path, jars: MavenJars
) -> None:
    for name in jars.names:
        (tmp_path / name).write_bytes(b"no jar")
    ended = tidegauge("run", "--adapter", jars.engine, "--option", f"{jars.option}=.")
    assert (ended.returncode, ended.stdout) == (2, "")
    (line,) = ended.stderr.splitlines()
    assert "cannot be asked who it is" in line


@each_engine
def test_without_maven_the_fetch_names_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jars: MavenJars
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ValueError, match="apt-get install maven") as refused:
        jars.fetch(tmp_path / "jars")
    assert "\n" not in str(refused.value)


@each_engine
def test_a_failed_download_is_reported_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jars: MavenJars
) -> None:
    maven = tmp_path / "mvn"
    maven.write_text("#!/bin/sh\necho '[ERROR] no such host'\necho more\nexit 1\n")
    maven.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    first = FIRST_JARS[jars.engine]
    with pytest.raises(ValueError, match=f"Maven cannot fetch {first}: .* no such host") as refused:
        jars.fetch(tmp_path / "jars")
    assert "\n" not in str(refused.value)
    assert list((tmp_path / "jars").iterdir()) == []
