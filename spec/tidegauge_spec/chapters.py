"""A chapter: the Markdown source of the rules of one component."""

import re
from dataclasses import dataclass

from .sections import MalformedChapter, Section, read_sections
from .versions import is_version

__all__ = ["Chapter", "MalformedChapter", "Rule", "read_chapter"]

LEVELS = ("MUST", "SHOULD", "MAY")

_CHAPTER_TITLE = re.compile(r"(?P<prefix>[A-Z]+): (?P<title>.+)")
_RULE_TITLE = re.compile(r"(?P<prefix>[A-Z]+)-(?P<number>[1-9][0-9]*) (?P<title>.+)")
_RULE_ID = re.compile(r"[A-Z]+-[1-9][0-9]*")
_SOURCE = re.compile(r"[A-E][0-9]+|[A-Z][A-Za-z]+(-[A-Z]+)*-[0-9]+")
_CHECKED_BY = re.compile(r"reference|job|property [a-z0-9-]+|not testable: .+")
_RULE_LABELS = {
    "Level",
    "Intent",
    "If an engine fails this, check",
    "Source",
    "Since",
    "Needs",
    "Policy",
    "Checked by",
}


@dataclass(frozen=True)
class Rule:
    """One numbered, testable obligation.

    `sentence` is normative, `intent` says why. `sources` are numbered statements (`statements.md`)
    and issue ids. `needs` are capabilities: to an engine that has none of them the rule does not apply
    (empty: it always does). `policies` are the named choices that can change the sentence. `checked_by` names
    what judges it.
    """

    id: str
    component: str
    title: str
    level: str
    sentence: str
    intent: str
    check: str
    sources: tuple[str, ...]
    since: str
    checked_by: tuple[str, ...]
    needs: tuple[str, ...]
    policies: tuple[str, ...]
    file: str
    line: int


@dataclass(frozen=True)
class Chapter:
    """The rules of one component, in order, with what the component builds on and withdrawn ids."""

    prefix: str
    title: str
    component: str
    uses: tuple[str, ...]
    withdrawn: frozenset[str]
    rules: tuple[Rule, ...]


def read_chapter(text: str, name: str) -> Chapter:
    """Read a chapter strictly; `name` is the file named in complaints. Raises `MalformedChapter`."""
    sections = read_sections(text, name)
    if not sections or sections[0].level != 1:
        raise MalformedChapter(name, 1, "a chapter starts with a heading '# PREFIX: Title'")
    head, *rest = sections
    title = _CHAPTER_TITLE.fullmatch(head.title)
    if title is None:
        raise MalformedChapter(name, head.line, f"{head.title!r} is not 'PREFIX: Title'")
    head.only({"Component", "Uses", "Withdrawn"})
    withdrawn = _withdrawn(head)
    component = head.required("Component").text
    rules: dict[str, Rule] = {}
    for section in rest:
        rule = _rule(section, title["prefix"], component)
        if rule.id in rules:
            raise MalformedChapter(
                name, section.line, f"{rule.id} stands already in line {rules[rule.id].line}"
            )
        if rule.id in withdrawn:
            raise MalformedChapter(
                name, section.line, f"{rule.id} was withdrawn; its number is not used again"
            )
        rules[rule.id] = rule
    if not rules:
        raise MalformedChapter(name, head.line, "a chapter without rules")
    uses = head.fields["Uses"].text if "Uses" in head.fields else "nothing"
    return Chapter(
        prefix=title["prefix"],
        title=title["title"],
        component=component,
        uses=() if uses == "nothing" else tuple(re.split(r",\s*", uses)),
        withdrawn=withdrawn,
        rules=tuple(rules.values()),
    )


def _withdrawn(head: Section) -> frozenset[str]:
    if "Withdrawn" not in head.fields:
        return frozenset()
    entry = head.fields["Withdrawn"]
    return frozenset(_listed(head, entry.text, entry.line, _RULE_ID, "a rule id"))


def _rule(section: Section, prefix: str, component: str) -> Rule:
    name, line = section.name, section.line
    if section.level != 2:
        raise MalformedChapter(name, line, f"{section.title!r}: a rule is a second-level heading")
    title = _RULE_TITLE.fullmatch(section.title)
    if title is None or title["prefix"] != prefix:
        raise MalformedChapter(name, line, f"{section.title!r} is not '{prefix}-number Title'")
    section.only(_RULE_LABELS)
    level = section.required("Level")
    if level.text not in LEVELS:
        raise MalformedChapter(name, level.line, f"level {level.text!r} is none of {', '.join(LEVELS)}")
    if len(section.paragraphs) != 1:
        count = len(section.paragraphs)
        raise MalformedChapter(name, line, f"a rule has one sentence, this has {count} unlabelled paragraphs")
    sentence = section.paragraphs[0]
    if level.text not in sentence.text:
        raise MalformedChapter(name, sentence.line, f"the sentence does not say {level.text}")
    since = section.required("Since")
    if not is_version(since.text):
        raise MalformedChapter(name, since.line, f"{since.text!r} is no version such as 1.0")
    source = section.required("Source")
    checked = section.required("Checked by")
    return Rule(
        id=f"{prefix}-{title['number']}",
        component=component,
        title=title["title"],
        level=level.text,
        sentence=sentence.text,
        intent=section.required("Intent").text,
        check=section.required("If an engine fails this, check").text,
        sources=_listed(section, source.text, source.line, _SOURCE, "a statement number or an issue id"),
        since=since.text,
        checked_by=_listed(section, checked.text, checked.line, _CHECKED_BY, "a way to check"),
        needs=tuple(section.fields["Needs"].text.split(" or ")) if "Needs" in section.fields else (),
        policies=tuple(section.fields["Policy"].text.split(", ")) if "Policy" in section.fields else (),
        file=name,
        line=line,
    )


def _listed(section: Section, text: str, line: int, form: re.Pattern[str], what: str) -> tuple[str, ...]:
    entries = (text,) if text.startswith("not testable:") else tuple(re.split(r",\s*", text))
    for entry in entries:
        if not form.fullmatch(entry):
            raise MalformedChapter(section.name, line, f"{entry!r} is not {what}")
    return entries
