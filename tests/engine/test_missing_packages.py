"""An adapter whose engine is not installed fails in one line with the command that installs it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.metadata import PackageNotFoundError
from types import ModuleType

import pytest
from conftest import Command

from tidegauge.engine.loading import load_adapter
from tidegauge.wire.scenario import BadInput
from tidegauge_adapters import required_distribution


@pytest.mark.parametrize(
    ("adapter", "engine", "extra"),
    [
        ("tidegauge_adapters.bytewax.adapter:BytewaxAdapter", "Bytewax", "bytewax"),
        ("tidegauge_adapters.beam.adapter:BeamAdapter", "Apache Beam", "beam"),
    ],
)
def test_the_command_that_installs_an_engine_is_named(
    adapter: str, engine: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(distribution: str) -> str:
        raise PackageNotFoundError(distribution)

    monkeypatch.setattr(required_distribution, "version", missing)
    for name in [name for name in sys.modules if name.startswith(f"tidegauge_adapters.{extra}")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(BadInput) as refused:
        load_adapter(adapter, {})
    assert str(refused.value) == (
        f"adapter {adapter!r} does not import: ImportError: {engine} is not installed: "
        f"pip install 'tidegauge[{extra}]'"
    )


def test_the_version_of_an_installed_engine_is_returned() -> None:
    assert required_distribution.require_distribution("pytest", "pytest", "none") == pytest.__version__


@pytest.mark.parametrize(
    ("command", "begin"),
    [
        (("processor", "my_job:Dedup", "--key", "user"), "no command processor"),
        (("processor", "--help"), "no command processor"),
        (("init", "mine", "--language", "pyspark"), "--language pyspark"),
    ],
)
def test_what_needs_an_extra_names_the_command_that_installs_it(
    command: tuple[str, ...], begin: str, tidegauge_here: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    without(monkeypatch, "pyspark", "tidegauge_adapters.processors")
    ended = tidegauge_here(*command)
    assert ended.returncode == 2
    assert ended.stderr == f"tidegauge: {begin}: pyspark is not installed: pip install 'tidegauge[spark]'\n"


def test_the_list_of_commands_names_what_is_missing(
    tidegauge_here: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    without(monkeypatch, "pyspark", "tidegauge_adapters.processors")
    ended = tidegauge_here("--help")
    assert (ended.returncode, ended.stderr) == (0, "")
    shown = " ".join(ended.stdout.replace("│", "").split())
    assert "processor Not available: pyspark is not installed: pip install 'tidegauge[spark]'" in shown


def without(monkeypatch: pytest.MonkeyPatch, package: str, users: str) -> None:
    """Make a package that is not installed of one, for modules that are then imported again."""
    for name in [name for name in sys.modules if name.split(".")[0] == package or name.startswith(users)]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [_Missing(package), *sys.meta_path])


class _Missing(MetaPathFinder):
    """Finds that a package is missing."""

    def __init__(self, package: str) -> None:
        self._package = package

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.split(".")[0] == self._package:
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)
        return None
