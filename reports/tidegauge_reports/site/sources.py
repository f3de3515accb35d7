"""The sources of a rule in words: documents with the section that a numbered statement stands in."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from tidegauge_spec import load_statements

DOCUMENTS = {
    "A": "FLIP-182",
    "B": "FLIP on idleness",
    "C": "FLINK-4576",
    "D": "FLIP-328",
    "E": "Watermark essay",
}

SECTIONS = {
    "A": ((1, "Motivation"), (8, "Public interfaces"), (10, "Proposed changes"), (23, "Part II"),
          (26, "Compatibility"), (27, "Test plan"), (34, "Rejected alternatives")),
    "B": ((1, "Motivation"), (7, "Motivation: watermark alignment"), (17, "Motivation: backpressure"),
          (19, "Proposed changes"), (23, "Public interfaces"), (32, "Compatibility"),
          (37, "Rejected alternatives")),
    "C": ((1, "Details"), (2, "Description"), (6, "Proposed implementation"), (19, "Public interface"),
          (22, "Messages"), (25, "Description")),
    "D": ((1, "Page diff"), (2, "Public interfaces"), (19, "Proposed changes"), (26, "Compatibility"),
          (27, "Future work"), (29, "Rejected alternatives")),
    "E": ((1, "Introduction"), (3, "Definition"), (13, "Generation and propagation"),
          (39, "Late watermarks")),
}  # fmt: skip
"""The sections of each document, each with the number of its first statement."""


@dataclass(frozen=True)
class Source:
    """A place in a document (`FLIP-182, Proposed changes`) with the `numbers` of its statements, or an issue,
    which is its own name."""

    title: str
    numbers: tuple[str, ...]


def sources_in_words(names: Iterable[str]) -> tuple[Source, ...]:
    """The sources of a rule, statements of the same section together, in the order given."""
    return tuple(Source(title, tuple(same)) for title, same in groupby(names, source_title))


def source_title(name: str) -> str:
    """What a reader calls a source: the document and section of a statement, an issue by its id."""
    if name not in load_statements():
        return name
    document, number = name[0], int(name[1:])
    section = [title for first, title in SECTIONS[document] if first <= number][-1]
    return f"{DOCUMENTS[document]}, {section}"
