"""Markdown with labelled paragraphs, read strictly: headings, and under each `*Label:* text` fields.

Chapters and policies share this form. Every complaint names the file and the line.
"""

import re
from dataclasses import dataclass, field
from itertools import pairwise

from markdown_it import MarkdownIt

_LABEL = re.compile(r"\*(?P<label>[^*:]+):\*\s*(?P<text>.*)", re.DOTALL)
_BLOCKS = MarkdownIt().disable(["inline", "text_join"])
"""Reads blocks alone: to parse what stands inside paragraphs, too, takes three times as long."""


class MalformedChapter(ValueError):
    """A Markdown source of the specification breaks its form; the message starts with `file:line`."""

    def __init__(self, name: str, line: int, problem: str) -> None:
        super().__init__(f"{name}:{line}: {problem}")


@dataclass(frozen=True)
class Field:
    """A labelled paragraph."""

    text: str
    line: int


@dataclass
class Section:
    """A heading with the paragraphs up to the next one."""

    name: str
    level: int
    title: str
    line: int
    fields: dict[str, Field] = field(default_factory=dict)
    paragraphs: list[Field] = field(default_factory=list)

    def required(self, label: str) -> Field:
        """The field `label`; its absence is malformed."""
        if label not in self.fields:
            raise MalformedChapter(self.name, self.line, f"{self.title!r} has no *{label}:*")
        return self.fields[label]

    def only(self, allowed: set[str]) -> None:
        """Refuse labels that are not in `allowed`."""
        for label, entry in self.fields.items():
            if label not in allowed:
                expected = ", ".join(sorted(allowed))
                raise MalformedChapter(self.name, entry.line, f"unknown *{label}:*; known are {expected}")


def read_sections(text: str, name: str) -> list[Section]:
    """The sections of a Markdown text in order; `name` is the file named in complaints."""
    sections: list[Section] = []
    tokens = _BLOCKS.parse(text)
    for opening, inline in pairwise(tokens):
        line = opening.map[0] + 1 if opening.map else 0
        content = " ".join(inline.content.split())
        if opening.type == "heading_open":
            sections.append(Section(name, int(opening.tag[1:]), content, line))
        elif opening.type == "paragraph_open":
            if not sections:
                raise MalformedChapter(name, line, "text before the first heading")
            _add_paragraph(sections[-1], content, line)
    return sections


def _add_paragraph(section: Section, content: str, line: int) -> None:
    labelled = _LABEL.fullmatch(content)
    if labelled is None:
        section.paragraphs.append(Field(content, line))
        return
    label, text = labelled["label"], labelled["text"].strip()
    if not text:
        raise MalformedChapter(section.name, line, f"*{label}:* is empty")
    if label in section.fields:
        raise MalformedChapter(section.name, line, f"*{label}:* twice under {section.title!r}")
    section.fields[label] = Field(text, line)
