"""The documents that the site shows: `guides/README.md`, and those that it links to. Paths are those of the
project's folder: `guides/adapter.md`."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from posixpath import dirname, join, normpath, splitext
from re import MULTILINE, findall, search

INDEX = "guides/README.md"
"""The list of all guides."""

SYMPTOMS = "guides/symptoms/README.md"
"""The list of the symptoms of a job, which have pages of their own."""

_PAGES = {INDEX: "index.html", SYMPTOMS: "what-ails-my-job.html"}
"""The pages of documents whose name says nothing."""

_PACKAGED = Path(__file__).parent / "documents"
"""Where the wheel has the documents; a clone has them in its own folders."""


@cache
def documents() -> Mapping[str, str]:
    """The text of each document by its path, the index first, in the order of its links; symptoms last."""
    index = project_file(INDEX)
    texts = {INDEX: index, **{path: project_file(path) for path in _linked(INDEX, index)}}
    symptoms = {path: project_file(path) for path in symptom_paths()}
    return {**texts, **symptoms}


@cache
def symptom_paths() -> tuple[str, ...]:
    """The paths of the pages about symptoms, in the order of their list."""
    listed = _linked(SYMPTOMS, project_file(SYMPTOMS))
    return tuple(path for path in listed if dirname(path) == dirname(SYMPTOMS))


def _linked(document: str, text: str) -> list[str]:
    return [path_from(document, target) for target in findall(r"\]\(([^)#:]+\.md)\)", text)]


def project_file(path: str) -> str:
    """The text of a file of the project that the site shows."""
    folder = _PACKAGED if _PACKAGED.is_dir() else Path(__file__).parents[4]
    return (folder / path).read_text(encoding="utf-8")


def path_from(document: str, target: str) -> str:
    """The path of a file to which a document links."""
    return normpath(join(dirname(document), target))


def page_name(path: str) -> str:
    """The name of a document's page: `event-logs.html` of `conformance/EVENT_LOGS.md`."""
    name = splitext(path.rpartition("/")[2])[0]
    return _PAGES.get(path) or name.lower().replace("_", "-") + ".html"


def title_of(text: str) -> str:
    """The title of a document, its first heading."""
    found = search(r"^# (.+)$", text, MULTILINE)
    assert found is not None
    return found[1]
