"""The adapter of Kafka Streams without jars or Maven, and its driver jar. No jar of Kafka is needed."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from conftest import Command

from tidegauge_adapters.kafka_streams.driver import DRIVER
from tidegauge_adapters.kafka_streams.jars import fetch

JAVA_17 = 61
"""The version of class files."""


def test_the_driver_of_kafka_streams_is_built_from_its_sources() -> None:
    """If this fails: `python -m tidegauge_adapters.kafka_streams.driver`."""
    assert DRIVER.digest_in_jar() == DRIVER.digest_of_sources()


def test_the_driver_of_kafka_streams_is_small_and_runs_on_java_17() -> None:
    assert DRIVER.path.stat().st_size < 30_000
    with zipfile.ZipFile(DRIVER.path) as jar:
        classes = [name for name in jar.namelist() if name.endswith(".class")]
        assert {Path(name).parent.name for name in classes} == {"driver", "kafka"}
        assert {int.from_bytes(jar.read(name)[6:8]) for name in classes} == {JAVA_17}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "kafka-streams-4.4.0.jar is not in the folder"),
        (["kafka-streams=nowhere"], "option kafka-streams='nowhere' is not a folder"),
        (["kafka-streams=."], "kafka-streams-4.4.0.jar is not in the folder '.'"),
        (["jars=x"], "unknown option 'jars'"),
        (["emit=final"], "unknown value of option emit 'final'"),
        (["retention=1"], "unknown value of option retention '1'"),
    ],
)
def test_missing_jars_of_kafka_streams_are_reported_in_one_line(
    tidegauge: Command, tmp_path: Path, options: list[str], words: str
) -> None:
    given = [argument for option in options for argument in ("--option", option)]
    environment = {"TIDEGAUGE_KAFKA_STREAMS_JARS": str(tmp_path / "empty")}
    ended = tidegauge("run", "--adapter", "kafka-streams", *given, environment=environment)
    assert (ended.returncode, ended.stdout) == (2, "")
    (line,) = ended.stderr.splitlines()
    assert words in line
    assert "unknown" in words or "python -m tidegauge_adapters.kafka_streams.jars" in line


def test_the_fetch_of_kafka_streams_names_maven_where_it_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ValueError, match="apt-get install maven"):
        fetch(tmp_path / "jars")
