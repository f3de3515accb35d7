"""What the tests share: the command line in a child process, what it wrote, folders that hold engines of their own,
and what is run first.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pytest

if TYPE_CHECKING:
    from _pytest.mark import ParameterSet
    from kafka_broker import Broker
    from s3_server import S3Store

ROOT = Path(__file__).parent.parent
PATIENCE = 600
"""How long (s) a test waits for a command: much longer than it takes on a busy machine."""

LONGEST_FIRST = (
    "flink/test_stock_flink.py",
    "detection/test_detection_named.py",
    "spark",
    "spark_native",
    "spark_exact",
    "spark_library",
    "jobs",
    "commands",
    "guides",
    "engine",
    "judging",
    "reports/test_reports_from_results.py",
    "components",
    "run",
    "detection",
    "reports/browser",
)
"""Where tests take long. Workers of xdist take whole files, and none is to be left alone with a long one at the end."""


IN_EACH_PART = (
    "detection/test_detection_named.py",
    "detection/test_detection_sample.py",
    "independent/test_independent_engines.py",
    "reference/test_reference_conditions.py",
    "reference/test_reference_coverage.py",
)
"""What guards the reference and the verdicts."""


def pytest_configure() -> None:
    """No test reads or writes the scenarios that runs of the user have kept. A test of these takes the variable
    away, and gives a folder of its own."""
    os.environ["TIDEGAUGE_NO_CACHE"] = "1"


def pytest_addoption(parser: pytest.Parser) -> None:
    """A part of the slower tests, for CI."""
    told = "of the modules with slower tests every N-th, from the K-th on"
    parser.addoption("--part", metavar="K/N", default="1/1", help=told)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put what takes long first, otherwise as collected; keep those of the part that is asked for."""
    items.sort(key=lambda item: place_of(item.path))
    part, parts = (int(number) for number in config.getoption("--part").split("/"))
    long = (item.path for item in items if item.get_closest_marker("slower") is not None)
    modules = dict.fromkeys(path for path in long if not is_in_each_part(path))
    left_out = {path for place, path in enumerate(modules) if place % parts != part - 1}
    config.hook.pytest_deselected(items=[item for item in items if item.path in left_out])
    items[:] = [item for item in items if item.path not in left_out]


def is_in_each_part(module: Path) -> bool:
    """Whether a part never leaves out that module."""
    return any(module == ROOT / "tests" / name for name in IN_EACH_PART)


def place_of(module: Path) -> int:
    """The index in `LONGEST_FIRST` of what holds a module, or what comes after all of them."""
    places = (at for at, name in enumerate(LONGEST_FIRST) if module.is_relative_to(ROOT / "tests" / name))
    return next(places, len(LONGEST_FIRST))


def others_slower(names: Iterable[Any], at_once: Container[Any]) -> list[ParameterSet]:
    """The names as parameters of a test: those that are not tried at once are of the slower tier."""
    return [pytest.param(name, marks=() if name in at_once else pytest.mark.slower) for name in names]


class Command(Protocol):
    """Runs a Python module in a child process and waits for its end."""

    def __call__(
        self, *arguments: str, input: str = "", environment: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]: ...


@pytest.fixture(scope="session")
def root() -> Path:
    """The folder of the project."""
    return ROOT


def results_in(folder: Path) -> dict[str, Any]:
    """The results of a run, as any JSON reader sees them."""
    return dict(json.loads((folder / "results.json").read_text(encoding="utf-8")))


def run_module(folder: Path, module: str) -> Command:
    """`python -m module arguments`, run in `folder`."""

    def command(
        *arguments: str, input: str = "", environment: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", module, *arguments],
            cwd=folder,
            input=input,
            env={**plain_environment(), **(environment or {})},
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
            timeout=PATIENCE,
        )

    return command


def plain_environment() -> dict[str, str]:
    """Our environment without what the tests' own session put into it, and without progress on stderr: on a
    slow machine a run takes more than the 20 s after which a line is due."""
    ours = ("PYTEST_", "COV_", "COVERAGE_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return {**kept, "NO_COLOR": "1", "COLUMNS": "200", "TIDEGAUGE_PROGRESS": "none"}


@pytest.fixture
def tidegauge(tmp_path: Path) -> Command:
    """The command `tidegauge`, run in the test's own folder."""
    return run_module(tmp_path, "tidegauge")


@pytest.fixture
def tidegauge_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """The command `tidegauge` in this process, in the test's own folder: for what starts no engine. A new Python
    takes longer to start than most of these take."""
    from typer.testing import CliRunner  # here, since the tests of a release have nothing installed

    from tidegauge.__main__ import application
    from tidegauge.commands.console import OUT

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(OUT, "width", int(plain_environment()["COLUMNS"]))

    def command(
        *arguments: str, input: str = "", environment: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        app = application(arguments[:1])
        ended = CliRunner().invoke(app, arguments, input, environment, catch_exceptions=False)
        return subprocess.CompletedProcess(arguments, ended.exit_code, ended.stdout, ended.stderr)

    return command


@pytest.fixture
def engine_module(tmp_path: Path) -> Callable[[str, str], None]:
    """Writes a module, `name` with `source`, where `tidegauge` finds it."""

    def write(name: str, source: str) -> None:
        (tmp_path / f"{name}.py").write_text(source, encoding="utf-8")

    return write


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """A broker of Kafka, for the tests of the tier `kafka`: see `tests/instruments/kafka_broker.py`."""
    from kafka_broker import running_broker

    with running_broker(tmp_path_factory.mktemp("broker")) as running:
        yield running


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Store]:
    """An S3 server, for the tests of the tier `stores`: see `tests/instruments/s3_server.py`."""
    from s3_server import running_s3

    with running_s3(tmp_path_factory.mktemp("store")) as running:
        yield running
