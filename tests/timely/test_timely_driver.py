"""The driver of timely dataflow: how it is built and found. The tests need neither Rust nor the driver."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from conftest import Command

from tidegauge_adapters.timely.driver import SOURCES, RustDriver

BUILDS = "python -m tidegauge_adapters.timely.driver builds"


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("worker=2", "unknown option 'worker'; did you mean 'workers'?"),
        ("workers=0", "unknown value of option workers '0'"),
        ("progress=lazy", "unknown value of option progress 'lazy'"),
        ("driver=nowhere", f"option driver='nowhere' is not a file; without the option, {BUILDS}"),
        ("workers=2", f"the driver of timely dataflow is not built in 'empty': {BUILDS} it, needs cargo"),
    ],
)
def test_a_wrong_option_or_a_missing_driver_is_reported_in_one_line(
    tidegauge: Command, option: str, words: str
) -> None:
    environment = {"TIDEGAUGE_TIMELY_DRIVER": "empty"}
    ended = tidegauge("run", "--adapter", "timely", "--option", option, environment=environment)
    assert (ended.returncode, ended.stdout) == (2, "")
    (line,) = ended.stderr.splitlines()
    assert words in line


def test_a_file_that_is_not_the_driver_is_reported_in_one_line(tidegauge: Command, tmp_path: Path) -> None:
    (tmp_path / "driver").write_text("no program")
    (tmp_path / "driver").chmod(0o755)
    ended = tidegauge("run", "--adapter", "timely", "--option", "driver=driver")
    assert (ended.returncode, ended.stdout) == (2, "")
    (line,) = ended.stderr.splitlines()
    assert "cannot be started" in line


def test_without_cargo_the_build_names_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ValueError, match=r"cargo is not in the PATH: .* https://rustup\.rs") as refused:
        RustDriver(SOURCES, tmp_path / "built").build()
    assert "\n" not in str(refused.value)


def test_a_failed_build_is_reported_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cargo = tmp_path / "cargo"
    cargo.write_text("#!/bin/sh\necho 'error: no such host' >&2\necho more >&2\nexit 101\n")
    cargo.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    driver = RustDriver(SOURCES, tmp_path / "built")
    with pytest.raises(ValueError, match="cannot build the driver of .*: error: no such host") as refused:
        driver.build()
    assert "\n" not in str(refused.value)
    assert not driver.path.exists()


def test_the_driver_is_built_once_for_its_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A replacement of cargo writes a line for each build, and the program."""
    cargo, builds = tmp_path / "cargo", tmp_path / "builds"
    made = 'mkdir -p "$target/release" && echo program > "$target/release/tidegauge-timely"'
    cargo.write_text(f'#!/bin/sh\nfor target; do :; done\necho "$*" >> {builds}\n{made}\n')
    cargo.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    for name in ("Cargo.toml", "Cargo.lock", "src/main.rs"):
        (tmp_path / "rust" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "rust" / name).write_text("first")
    driver = RustDriver(tmp_path / "rust", tmp_path / "built")
    first = driver.build()
    assert (first.read_text(), driver.build(), driver.locate()) == ("program\n", first, first)
    assert len(builds.read_text().splitlines()) == 1
    (tmp_path / "rust" / "src" / "main.rs").write_text("second")
    assert driver.build() != first
    assert len(builds.read_text().splitlines()) == 2
    assert all("--release --locked" in line for line in builds.read_text().splitlines())


def test_the_driver_names_exact_versions_of_what_it_needs() -> None:
    manifest = tomllib.loads((SOURCES / "Cargo.toml").read_text())
    lock = tomllib.loads((SOURCES / "Cargo.lock").read_text())
    locked = {package["name"]: package["version"] for package in lock["package"]}
    for name, needed in manifest["dependencies"].items():
        version = needed if isinstance(needed, str) else needed["version"]
        assert version == f"={locked[name]}"
    assert re.fullmatch(r"0\.\d+\.\d+", locked["timely"])
