"""The reader of chapters is strict: what breaks the form is refused, with the file and the line."""

from __future__ import annotations

import re

import pytest

from tidegauge_spec import MalformedChapter, read_chapter
from tidegauge_spec.registry import build_registry

CHAPTER = """\
# TOY: A toy

*Component:* toy

*Uses:* nothing

*Withdrawn:* TOY-7, TOY-8

Words about the whole chapter are free
and may take several lines.

## TOY-1 The first

*Level:* MUST

The toy MUST do it.

*Intent:* Because.

*If an engine fails this, check:* the spring.

*Source:* E5, FLINK-40475, SPARK-PR-56043

*Since:* 1.0

*Checked by:* reference, property toy-works

## TOY-2 The second

*Level:* SHOULD

The toy SHOULD do that
as well.

*Intent:* Why not.

*If an engine fails this, check:* the wheel.

*Source:* A1

*Since:* 1.0

*Needs:* snapshot

*Policy:* toy_policy

*Checked by:* not testable: it is out of sight, always
"""


def line_of(text: str, part: str) -> int:
    """The number of the first line that holds `part`."""
    return next(number for number, line in enumerate(text.splitlines(), start=1) if part in line)


def test_a_chapter_is_read_as_it_stands() -> None:
    chapter = read_chapter(CHAPTER, "TOY.md")
    assert (chapter.prefix, chapter.title, chapter.component) == ("TOY", "A toy", "toy")
    assert chapter.uses == ()
    assert chapter.withdrawn == {"TOY-7", "TOY-8"}
    first, second = chapter.rules
    assert (first.id, first.title, first.level, first.component) == ("TOY-1", "The first", "MUST", "toy")
    assert (first.sentence, first.intent, first.check) == ("The toy MUST do it.", "Because.", "the spring.")
    assert first.sources == ("E5", "FLINK-40475", "SPARK-PR-56043")
    assert (first.since, first.needs, first.policies) == ("1.0", (), ())
    assert first.checked_by == ("reference", "property toy-works")
    assert (first.file, first.line) == ("TOY.md", line_of(CHAPTER, "## TOY-1"))
    assert (second.level, second.sentence) == ("SHOULD", "The toy SHOULD do that as well.")
    assert (second.needs, second.policies) == (("snapshot",), ("toy_policy",))
    assert second.checked_by == ("not testable: it is out of sight, always",)


def test_a_chapter_names_what_it_builds_on() -> None:
    chapter = read_chapter(CHAPTER.replace("*Uses:* nothing", "*Uses:* valve, clock"), "TOY.md")
    assert chapter.uses == ("valve", "clock")
    assert read_chapter(CHAPTER.replace("*Uses:* nothing\n", ""), "TOY.md").uses == ()


def without(part: str) -> str:
    """The toy chapter without the paragraph that starts with `part` (its last one)."""
    head, _, tail = CHAPTER.rpartition(part)
    return head + tail.partition("\n\n")[2]


def instead(old: str, new: str) -> str:
    """The toy chapter with the last `old` replaced."""
    assert old in CHAPTER
    return new.join(CHAPTER.rsplit(old, 1))


RULE_2 = "## TOY-2 The second"

MALFORMED = {
    "an empty file": ("", "", "starts with a heading"),
    "text before the first heading": (f"Hello.\n\n{CHAPTER}", "Hello.", "before the first heading"),
    "a rule where the title should be": (
        CHAPTER[CHAPTER.index("## TOY-1") :],
        "## TOY-1",
        "starts with a heading",
    ),
    "a title without a prefix": (instead("# TOY: A toy", "# A toy"), "# A toy", "is not 'PREFIX: Title'"),
    "a title with a small prefix": (
        instead("# TOY: A toy", "# Toy: A toy"),
        "# Toy",
        "is not 'PREFIX: Title'",
    ),
    "no component": (CHAPTER.replace("*Component:* toy\n", ""), "# TOY: A toy", "no *Component:*"),
    "an empty component": (CHAPTER.replace("*Component:* toy", "*Component:*"), "*Component:*", "is empty"),
    "an unknown label of the chapter": (instead("*Uses:*", "*Used:*"), "*Used:*", "unknown *Used:*"),
    "a withdrawn thing that is no id": (
        instead("TOY-7, TOY-8", "seven"),
        "*Withdrawn:*",
        "'seven' is not a rule id",
    ),
    "no rules": (CHAPTER[: CHAPTER.index("## TOY-1")], "# TOY: A toy", "without rules"),
    "a rule that was withdrawn": (instead(RULE_2, "## TOY-7 The second"), "## TOY-7", "was withdrawn"),
    "a rule twice": (
        instead(RULE_2, "## TOY-1 The second"),
        "## TOY-1 The second",
        "TOY-1 stands already in line 12",
    ),
    "a rule of another chapter": (
        instead(RULE_2, "## VALVE-2 Other"),
        "## VALVE-2",
        "is not 'TOY-number Title'",
    ),
    "a rule without a number": (
        instead(RULE_2, "## The second"),
        "## The second",
        "is not 'TOY-number Title'",
    ),
    "a rule without a title": (instead(RULE_2, "## TOY-2"), "## TOY-2", "is not 'TOY-number Title'"),
    "a number with a zero before it": (
        instead(RULE_2, "## TOY-02 X"),
        "## TOY-02",
        "is not 'TOY-number Title'",
    ),
    "number zero": (instead(RULE_2, "## TOY-0 X"), "## TOY-0", "is not 'TOY-number Title'"),
    "a rule a level too deep": (instead(RULE_2, "### TOY-2 X"), "### TOY-2", "second-level heading"),
    "a rule a level too high": (instead(RULE_2, "# TOY-2 X"), "# TOY-2", "second-level heading"),
    "no level": (without("*Level:* SHOULD"), RULE_2, "no *Level:*"),
    "an unknown level": (
        instead("*Level:* SHOULD", "*Level:* OUGHT"),
        "OUGHT",
        "'OUGHT' is none of MUST, SHOULD, MAY",
    ),
    "a level in small letters": (
        instead("*Level:* SHOULD", "*Level:* should"),
        "should",
        "'should' is none of",
    ),
    "no intent": (without("*Intent:*"), RULE_2, "no *Intent:*"),
    "nothing to check": (
        without("*If an engine fails this, check:*"),
        RULE_2,
        "no *If an engine fails this, check:*",
    ),
    "no source": (without("*Source:*"), RULE_2, "no *Source:*"),
    "no version": (without("*Since:*"), RULE_2, "no *Since:*"),
    "a version in words": (
        instead("*Since:* 1.0", "*Since:* v1"),
        "*Since:* v1",
        "'v1' is no version such as 1.0",
    ),
    "no way to check": (without("*Checked by:*"), RULE_2, "no *Checked by:*"),
    "an empty field": (instead("*Intent:* Why not.", "*Intent:*"), "*Intent:*\n", "*Intent:* is empty"),
    "a field twice": (
        instead("*Since:* 1.0", "*Since:* 1.0\n\n*Since:* 1.1"),
        "*Since:* 1.1",
        "*Since:* twice",
    ),
    "an unknown label": (
        instead("*Needs:*", "*Wants:*"),
        "*Wants:*",
        "unknown *Wants:*; known are Checked by",
    ),
    "no sentence": (without("The toy SHOULD do that"), RULE_2, "0 unlabelled paragraphs"),
    "two sentences": (instead("*Needs:* snapshot", "It is nice."), RULE_2, "2 unlabelled paragraphs"),
    "a list": (instead("*Needs:* snapshot", "* one\n* two"), RULE_2, "3 unlabelled paragraphs"),
    "a sentence of another level": (
        instead("SHOULD do that", "MUST do that"),
        "MUST do that",
        "the sentence does not say SHOULD",
    ),
    "a sentence without a level": (
        instead("SHOULD do that", "does that"),
        "does that",
        "does not say SHOULD",
    ),
    "a source that is no statement": (
        instead("*Source:* A1", "*Source:* the essay"),
        "the essay",
        "'the essay' is not",
    ),
    "a source in an unknown document": (
        instead("*Source:* A1", "*Source:* F1"),
        "F1",
        "'F1' is not a statement",
    ),
    "an issue without a number": (
        instead("*Source:* A1", "*Source:* A1, FLINK"),
        "FLINK\n",
        "'FLINK' is not",
    ),
    "a trailing comma": (instead("*Source:* A1", "*Source:* A1,"), "A1,", "'' is not a statement number"),
    "an unknown way to check": (
        instead("*Checked by:* not testable: it is out of sight, always", "*Checked by:* eye"),
        "*Checked by:* eye",
        "'eye' is not a way to check",
    ),
    "untestable without a reason": (
        instead("not testable: it is out of sight, always", "not testable:"),
        "not testable:",
        "is not a way to check",
    ),
    "a property without a name": (
        instead("not testable: it is out of sight, always", "property"),
        "*Checked by:* property\n",
        "'property' is not a way to check",
    ),
}


@pytest.mark.parametrize(("text", "place", "problem"), MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_chapter_is_refused_with_file_and_line(text: str, place: str, problem: str) -> None:
    with pytest.raises(MalformedChapter) as refused:
        read_chapter(text, "TOY.md")
    message = str(refused.value)
    assert problem in message
    found = re.match(r"TOY\.md:([0-9]+): ", message)
    assert found is not None
    expected = text.count("\n", 0, text.rindex(place)) + 1
    assert int(found[1]) == expected


OTHER = CHAPTER.replace("TOY", "BOY").replace("*Component:* toy", "*Component:* boy")


def test_chapters_are_joined_in_order() -> None:
    chapters = [read_chapter(CHAPTER, "TOY.md"), read_chapter(OTHER, "BOY.md")]
    registry = build_registry(chapters, {"toy_policy"})
    assert list(registry.rules) == ["TOY-1", "TOY-2", "BOY-1", "BOY-2"]
    assert [rule.id for rule in registry.of_component("boy")] == ["BOY-1", "BOY-2"]


CLASHES = {
    "a component with two chapters": (
        [(CHAPTER, "TOY.md"), (CHAPTER.replace("TOY", "BOY"), "BOY.md")],
        {"toy_policy"},
        "BOY.md:1: component 'toy' has a chapter already",
    ),
    "a rule in two chapters": (
        [(CHAPTER, "TOY.md"), (CHAPTER.replace("*Component:* toy", "*Component:* boy"), "BOY.md")],
        {"toy_policy"},
        "BOY.md:12: TOY-1 stands already in TOY.md:12",
    ),
    "a policy that does not exist": (
        [(CHAPTER, "TOY.md")],
        {"another_policy"},
        "TOY.md:28: TOY-2: unknown policy 'toy_policy'",
    ),
    "a component built on one that does not exist": (
        [(CHAPTER, "TOY.md"), (OTHER.replace("*Uses:* nothing", "*Uses:* toy, ghost"), "BOY.md")],
        {"toy_policy"},
        "BOY.md:1: unknown component 'ghost' in *Uses:*",
    ),
}


@pytest.mark.parametrize(("texts", "policies", "message"), CLASHES.values(), ids=CLASHES)
def test_chapters_that_clash_are_refused_with_file_and_line(
    texts: list[tuple[str, str]], policies: set[str], message: str
) -> None:
    chapters = [read_chapter(text, name) for text, name in texts]
    with pytest.raises(MalformedChapter) as refused:
        build_registry(chapters, policies)
    assert str(refused.value) == message
