"""An adapter whose engine is not installed fails in one line with the command that installs it."""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError

import pytest

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
