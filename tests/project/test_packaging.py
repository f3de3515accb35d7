"""The wheels hold what the tree holds: nothing is lost on the way to users, and nothing foreign goes along."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Iterator
from email.parser import Parser
from pathlib import Path, PurePosixPath

import pytest
from conftest import PATIENCE, ROOT, plain_environment, run_module
from packed_folders import LIBRARY, OF_NO_PACKAGE, PACKAGES

import tidegauge_spark
from tidegauge_reports.site.guides.documents import documents

KINDS = {
    *(".py", ".md", ".txt", ".json", ".jsonl", ".j2", ".css", ".js", ".ini", ".toml", ".typed"),
    *(".java", ".jar"),  # the driver of Flink and its sources
    *(".rs", ".lock"),  # the driver of timely dataflow
    ".svg",  # pictures of the guides
    ".xml",  # the jars of an engine, for Maven
    ".yml",  # alert rules of the monitor
}


DOCUMENTS = "tidegauge_reports/site/guides/documents/"
"""Where the wheel has copies of documents of other folders."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[zipfile.ZipFile]:
    """The wheel of the kit, built from the tree."""
    with zipfile.ZipFile(built(ROOT, tmp_path_factory.mktemp("wheel"))) as opened:
        yield opened


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[zipfile.ZipFile]:
    """The wheel of `tidegauge_spark`, built from the tree."""
    with zipfile.ZipFile(built(LIBRARY, tmp_path_factory.mktemp("library"))) as opened:
        yield opened


def built(project: Path, folder: Path) -> Path:
    """Build the wheel of a project."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    ended = subprocess.run(
        command,
        cwd=project,
        env=plain_environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    (path,) = folder.glob("*.whl")
    return path


def in_the_tree() -> set[str]:
    """The files of the five packages, as the wheel names them."""
    found = set()
    for package in map(ROOT.joinpath, PACKAGES["tidegauge"]):
        for path in package.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                found.add(path.relative_to(package.parent).as_posix())
    return found


def in_the_wheel(wheel: zipfile.ZipFile) -> set[str]:
    """The files of the wheel but its metadata."""
    return {name for name in wheel.namelist() if ".dist-info/" not in name}


def metadata(wheel: zipfile.ZipFile, file: str) -> str:
    """A file of the wheel's metadata."""
    (name,) = (name for name in wheel.namelist() if name.endswith(f".dist-info/{file}"))
    return wheel.read(name).decode()


def test_the_wheel_holds_every_file_of_the_packages_and_no_other(wheel: zipfile.ZipFile) -> None:
    missing = in_the_tree() - in_the_wheel(wheel)
    assert not missing, "not in the wheel (does .gitignore name them?)"
    more = in_the_wheel(wheel) - in_the_tree()
    assert {name for name in more if not name.startswith(DOCUMENTS)} == set()


def test_the_wheel_holds_the_documents_that_the_site_shows(wheel: zipfile.ZipFile) -> None:
    held = {name.removeprefix(DOCUMENTS) for name in in_the_wheel(wheel) if name.startswith(DOCUMENTS)}
    guides = {path.relative_to(ROOT).as_posix() for path in (ROOT / "guides").rglob("*.*")}
    assert held == set(documents()) | guides
    for name in held:
        assert wheel.read(DOCUMENTS + name) == (ROOT / name).read_bytes()


def test_the_five_packages_are_the_only_top_levels(wheel: zipfile.ZipFile) -> None:
    top_levels = {PurePosixPath(name).parts[0] for name in in_the_wheel(wheel)}
    assert top_levels == {PurePosixPath(package).name for package in PACKAGES["tidegauge"]}


def test_files_are_of_known_kinds_and_each_kind_is_there(wheel: zipfile.ZipFile) -> None:
    kinds = {PurePosixPath(name).suffix for name in in_the_wheel(wheel)}
    assert kinds == KINDS


@pytest.mark.parametrize("package", [PurePosixPath(package).name for package in PACKAGES["tidegauge"]])
def test_every_package_is_typed(wheel: zipfile.ZipFile, package: str) -> None:
    assert f"{package}/py.typed" in wheel.namelist()


@pytest.mark.parametrize(
    "file",
    [
        "tidegauge_spec/chapters/VALVE.md",
        "tidegauge_spec/policies.md",
        "tidegauge_pipeline/monitor/alerts.yml",
        "tidegauge_pipeline/monitor/dashboard.json",
        "tidegauge_spec/profiles.md",
        "tidegauge_spec/vectors/1.0/valve.json",
        "tidegauge_spec/vectors/schema.json",
        "tidegauge/run/suites/pytest.ini",
        "tidegauge/run/suites/conftest.py",
        "tidegauge/mutants/known-bugs.jsonl",
        "tidegauge_reports/compliance/templates/report.html.j2",
        "tidegauge_reports/compliance/style.css",
        "tidegauge_reports/compliance/script.js",
        "tidegauge_reports/pages/base.css",
        "tidegauge_reports/histories/timeline.css",
        "tidegauge_reports/matrix/templates/matrix.html.j2",
        "tidegauge_reports/shipped/diagnoses.json",
        "tidegauge_reports/shipped/verdicts.json",
        "tidegauge_reports/site/templates/chapter.html.j2",
        "tidegauge_spec/statements.md",
        "tidegauge_spec/not-covered.md",
    ],
)
def test_what_is_read_at_run_time_is_in_the_wheel_as_it_is_in_the_tree(
    wheel: zipfile.ZipFile, file: str
) -> None:
    (source,) = (
        ROOT / Path(p).parent / file for p in PACKAGES["tidegauge"] if Path(p).name == file.partition("/")[0]
    )
    assert wheel.read(file) == source.read_bytes()


def test_the_metadata_names_entry_points_extras_and_licence(wheel: zipfile.ZipFile) -> None:
    entry_points = metadata(wheel, "entry_points.txt")
    for line in (
        "tidegauge = tidegauge.__main__:main",
        "tidegauge = tidegauge.run.plugin",
        "reference = tidegauge_adapters.reference:ReferenceAdapter",
        "spark = tidegauge_adapters.spark.adapter:SparkAdapter",
        "bytewax = tidegauge_adapters.bytewax.adapter:BytewaxAdapter",
        "beam = tidegauge_adapters.beam.adapter:BeamAdapter",
        "html = tidegauge_reports.compliance.html:write",
        "junit = tidegauge_reports.machines.junit:write",
        "matrix = tidegauge_reports.commands.matrix:matrix",
        "trend = tidegauge_reports.commands.trend:trend",
    ):
        assert line in entry_points.splitlines()
    described = Parser().parsestr(metadata(wheel, "METADATA"))
    assert {"spark", "flink", "beam", "bytewax", "allure"} <= set(described.get_all("Provides-Extra") or ())
    assert described["License-Expression"] == "Apache-2.0 AND MIT"
    assert described["Requires-Python"] == ">=3.11"
    needed = [line for line in described.get_all("Requires-Dist") or () if "extra ==" not in line]
    assert not any("spark" in line or "pandas" in line for line in needed), "heavy ones are extras"
    assert "Apache License" in metadata(wheel, "licenses/LICENSE")
    lunr = metadata(wheel, "licenses/reports/tidegauge_reports/site/search/lunr-license.txt")
    assert "Permission is hereby granted" in lunr


def test_the_library_is_a_distribution_of_its_own(wheel: zipfile.ZipFile, library: zipfile.ZipFile) -> None:
    files = {f"tidegauge_spark/{path.relative_to(LIBRARY).as_posix()}" for path in LIBRARY.rglob("*")}
    wanted = {name for name in files if name.endswith((".py", "/py.typed"))}
    assert in_the_wheel(library) == wanted
    assert in_the_wheel(library) & in_the_wheel(wheel) == set()
    assert {path.name for path in LIBRARY.iterdir() if path.is_file() and path.suffix != ".py"} == {
        *OF_NO_PACKAGE,
        "py.typed",
    }
    described = Parser().parsestr(metadata(library, "METADATA"))
    assert described["Version"] == tidegauge_spark.__version__
    needed = described.get_all("Requires-Dist") or []
    kits = Parser().parsestr(metadata(wheel, "METADATA")).get_all("Requires-Dist") or []
    extra = {line.partition(";")[0].strip() for line in kits if line.endswith("extra == 'spark'")}
    own = {line for line in needed if "extra ==" not in line}
    sparks = {line for line in own ^ extra if line.startswith("pyspark")}  # the library runs on more versions
    assert own ^ extra == sparks
    assert "kafka" in (described.get_all("Provides-Extra") or ())
    assert not any("pytest" in line or "hypothesis" in line for line in needed)
    assert "Apache License" in metadata(library, "licenses/LICENSE")


WITHOUT_THE_LIBRARY = """
import sys
from tidegauge.engine.loading import load_adapter

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name == "tidegauge_spark":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.path.insert(0, sys.argv[1])
sys.meta_path.insert(0, Missing())
load_adapter("spark", {})
"""


def test_without_the_library_its_adapter_says_what_is_missing(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    wheel.extractall(tmp_path)
    ended = subprocess.run(
        [sys.executable, "-c", WITHOUT_THE_LIBRARY, str(tmp_path)],
        env=plain_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    last = ended.stderr.splitlines()[-1]
    assert "`pip install tidegauge-spark`, or `pip install ./adapters/tidegauge_spark` in a clone" in last


def test_a_run_from_the_installed_wheel_passes_without_a_warning(
    wheel: zipfile.ZipFile, tmp_path: Path
) -> None:
    """As installed: pytest rewrites the modules of a distribution with a plugin, and warns of those imported."""
    installed, folder = tmp_path / "installed", tmp_path / "folder"
    wheel.extractall(installed)
    folder.mkdir()
    strict = {"PYTHONPATH": str(installed), "PYTHONWARNINGS": "error"}
    place = "import tidegauge, tidegauge_spec; print(tidegauge.__file__, tidegauge_spec.__file__)"
    environment = {**plain_environment(), **strict}
    where = subprocess.run(
        [sys.executable, "-c", place], env=environment, capture_output=True, text=True, check=True
    )
    assert where.stdout.count(str(installed)) == 2
    smoke = ("--adapter", "reference", "--budget", "smoke", "--component", "valve", "-n", "1")
    ended = run_module(folder, "tidegauge")("run", *smoke, "--progress", "none", environment=strict)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stderr == ""
    assert "warning" not in (folder / "tidegauge-results" / "engine.log").read_text(encoding="utf-8")


def test_building_leaves_nothing_in_the_tree(wheel: zipfile.ZipFile) -> None:
    assert wheel.namelist()
    assert not (ROOT / "dist").exists() or not list((ROOT / "dist").glob("*.whl"))
    assert not (ROOT / "build").exists()
