"""The symptoms of a job: the page of each symptom, and the words by which the search finds it."""

from dataclasses import dataclass
from functools import cache
from re import DOTALL, MULTILINE, findall, search

from .guides.documents import documents, symptom_paths, title_of

_SEARCHED = "Also searched as"
_FINDINGS = "Findings"


@dataclass(frozen=True)
class Symptom:
    """A symptom of a job.

    Attributes:
        path: the path of its document in the project.
        title: the symptom in the words that people use.
        findings: the findings of `check-log` that report it.
        phrases: queries that users type to find the symptom.
        names: the names of metrics, options and findings on the page.
    """

    path: str
    title: str
    findings: tuple[str, ...]
    phrases: tuple[str, ...]
    names: tuple[str, ...]


@cache
def symptoms() -> tuple[Symptom, ...]:
    """Return all symptoms, in the order of their list."""
    return tuple(_symptom(path, documents()[path]) for path in symptom_paths())


def _symptom(path: str, text: str) -> Symptom:
    return Symptom(
        path=path,
        title=title_of(text),
        findings=tuple(findall(r"`([^`]+)`", _labelled(text, _FINDINGS))),
        phrases=tuple(" ".join(_labelled(text, _SEARCHED).split()).split(", ")),
        names=tuple(dict.fromkeys(findall(r"`([^`\n]+)`", text))),
    )


def _labelled(text: str, label: str) -> str:
    """Return the text of the paragraph that begins with a label, such as `*Findings:*`."""
    paragraph = search(rf"^\*{label}:\* (.+?)(?:\n\n|\Z)", text, DOTALL | MULTILINE)
    assert paragraph is not None, f"a page about a symptom has no paragraph {label!r}"
    return paragraph[1]
