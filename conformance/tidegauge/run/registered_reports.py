"""Views of results, by the entry points under which they are registered; the kit knows none of them.

Under `tidegauge.reports` stand those that are always written, under `tidegauge.reports_on_request` those that
are asked for by name; each is a function `(results, folder) -> path`. One on request has a folder to itself.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..wire.results import Results
from ..wire.scenario import BadInput
from .own_folder import own_files
from .progress import tell

ALWAYS = "tidegauge.reports"
ON_REQUEST = "tidegauge.reports_on_request"

Report = Callable[[Any, Path], Path]
"""A view of a record: of `Results`, or of the path of a `log-results.json`."""

_LONGEST_REASON = 300


@dataclass(frozen=True)
class Written:
    """The files or folders that were written, and a line for each report that failed."""

    paths: list[Path] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def find_requested(names: Iterable[str]) -> list[EntryPoint]:
    """The reports on request of these names, each of which loads; those that are always written need no
    request. Raises `BadInput` for a name that is not registered, and for a report that needs what is not
    installed."""
    always = {entry.name for entry in entry_points(group=ALWAYS)}
    known = {entry.name: entry for entry in entry_points(group=ON_REQUEST)}
    found: dict[str, EntryPoint] = {}
    for name in names:
        if name in always:
            continue
        if name not in known:
            raise BadInput(
                f"unknown report {name!r}; on request there are: {', '.join(sorted(known)) or 'none'}; "
                f"always written are: {', '.join(sorted(always))}"
            )
        found[name] = _importable(known[name])
    return list(found.values())


def _importable(entry: EntryPoint) -> EntryPoint:
    try:
        entry.load()
    except ImportError as error:
        raise BadInput(f"report {entry.name!r} does not import: {_reason(error)}{_remedy(entry)}") from None
    return entry


def _remedy(entry: EntryPoint) -> str:
    """What to install, if the distribution of a report has an extra of its name."""
    if entry.dist is None or entry.name not in (entry.dist.metadata.get_all("Provides-Extra") or ()):
        return ""
    return f"; pip install '{entry.dist.name}[{entry.name}]'"


def write_registered(results: Results, folder: Path, requested: Iterable[EntryPoint]) -> Written:
    """Write all reports that are always written into `folder`, and each requested one into a folder of its
    own in it, `allure-results`. One that fails does not keep the others from being written."""
    written = Written()
    places = [(entry, folder, _moved) for entry in sorted(entry_points(group=ALWAYS))]
    places += [(entry, folder / f"{entry.name}-results", _in_place) for entry in requested]
    for number, (entry, place, bring) in enumerate(places):
        tell("reports", number, len(places))
        _write(entry, results, place, written, bring)
    return written


def write_each(entries: Iterable[EntryPoint], results: object, folder: Path) -> Written:
    """Write some reports into `folder`. One that fails does not keep the others from being written."""
    written = Written()
    for entry in entries:
        _write(entry, results, folder, written, _moved)
    return written


def _in_place(report: Report, results: object, folder: Path) -> Path:
    """Write a report directly into its folder, which may have files of others."""
    return report(results, folder)


def _moved(report: Report, results: object, folder: Path) -> Path:
    """Write a report into a temporary folder, and move its files into `folder`. Readers never see an
    incomplete file, and files of others are not replaced. Raises `BadInput` if such a file exists."""
    with TemporaryDirectory(prefix=".report-", dir=folder) as scratch:
        path = Path(report(results, Path(scratch)))
        names = [file.relative_to(scratch) for file in sorted(Path(scratch).rglob("*")) if file.is_file()]
        own_files(folder, [name.as_posix() for name in names])
        for name in names:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (Path(scratch) / name).replace(folder / name)
        return folder / path.relative_to(scratch) if path.is_relative_to(scratch) else path


def _write(
    entry: EntryPoint,
    results: object,
    folder: Path,
    written: Written,
    how: Callable[[Report, object, Path], Path],
) -> None:
    try:
        written.paths.append(Path(how(entry.load(), results, folder)))
    except (Exception, SystemExit) as error:  # whatever others register; their failing is theirs alone
        written.problems.append(f"report {entry.name!r} failed: {_reason(error)}")


def _reason(error: BaseException) -> str:
    """An error on one line."""
    text = " ".join(str(error).split())
    text = text if len(text) <= _LONGEST_REASON else text[: _LONGEST_REASON - 1] + "…"
    return text if isinstance(error, BadInput) and text else f"{type(error).__name__}: {text}".rstrip(": ")
