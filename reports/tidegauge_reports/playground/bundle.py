"""The kit as the browser's Python gets it: an archive of the files that it imports."""

import zipfile
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from io import BytesIO

PACKAGES = (
    "tidegauge_spec",
    "tidegauge_reference",
    "tidegauge",
    "tidegauge_reports",
    "markdown_it",
    "markupsafe",
    "mdurl",
)
"""The packages in the archive: ours, and what they need that is plain Python."""

TAKEN = {"tidegauge_reports": ("histories", "playground", "site")}
"""The folders of a package that are taken, where not all are."""

LEFT_OUT = {"tidegauge": ("commands", "detection", "run")}
"""Folders that a browser has no use for."""

_KINDS = (".py", ".md", ".json", ".css", ".jsonl", ".txt")
_FIRST_DAY = (1980, 1, 1, 0, 0, 0)


def kit_archive() -> bytes:
    """The archive, to be unpacked where Python finds packages; the same bytes for the same files."""
    written = BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for package in PACKAGES:
            found = dict(_files(files(package), package, top=package))
            for name in sorted(found):
                entry = zipfile.ZipInfo(name, _FIRST_DAY)
                archive.writestr(entry, found[name].read_bytes(), zipfile.ZIP_DEFLATED)
    return written.getvalue()


def _files(folder: Traversable, path: str, top: str) -> Iterator[tuple[str, Traversable]]:
    for entry in folder.iterdir():
        name = f"{path}/{entry.name}"
        if entry.is_dir():
            if _is_wanted(name, top):
                yield from _files(entry, name, top)
        elif entry.name.endswith(_KINDS):
            yield name, entry


def _is_wanted(folder: str, top: str) -> bool:
    part = folder.split("/")[1]
    return (
        not folder.endswith("__pycache__")
        and part in TAKEN.get(top, (part,))
        and part not in LEFT_OUT.get(top, ())
    )
