"""What users read is free of the worst habits of the house style (CONTRIBUTING.md, "Words")."""

from __future__ import annotations

import ast
import json
import re
import subprocess
from collections.abc import Iterator
from typing import NamedTuple

import pytest
from conftest import ROOT

from tidegauge_spec import load_registry

_IS = r"\b(?:is|are|was|were|be|been) (?:not |never )?"

HABITS = {
    r"\b(?:nobody|everybody|anybody|somebody|whoever)\b": "name the subtask, channel, source or user",
    rf"{_IS}(?:waited for|awaited by)\b": "is excluded from the minimum; does not wait for",
    rf"{_IS}heard\b": "is ignored; takes effect",
    rf"{_IS}found out\b": "is detected",
    rf"{_IS}held up\b": "is delayed; is held back",
    rf"{_IS}left out\b": "is excluded; is skipped",
    rf"{_IS}looked at\b": "is evaluated; is checked",
    rf"{_IS}put aside\b": "goes to the late output",
    r"\b(?:is|are) (?:not )?to blame\b": "is the most likely cause",
    r"\b(?:taken|took|take|takes) (?:\w+ ){0,2}for (?:late|idle|a|an|the)\b": "treated as",
    r"\bgoes on\b": "continues; proceeds",
    r"\breads on\b": "continues reading",
    r"\bstands? still\b": "does not advance; stops",
    r"\bas if nothing had happened\b": "preserves behaviour",
    r"\bas (?:it|they|one) should\b": "conforms; as specified",
    r"\bwhat cannot be\b": "invalid arguments; invalid steps",
    r"\banew\b": "again",
    r"\bfor ever\b": "forever",
    r"\bbe it\b": "even if; whether",
    r"\bsave that\b": "except that",
    r"\bas of any\b": "the same as for any",
    r"\bthe least of\b": "the smallest",
    r"\bwhere nothing else is said\b": "unless stated otherwise",
    r"\b(?:wrong|right) engines?\b": "mutant, faulty engine; conforming engine",
    r"\bsmallest histor(?:y|ies)\b": "minimal counterexample",
}
"""A habit, and better words for it. Each is matched in any case and over the ends of lines."""

PRONOUN_FIRST = re.compile(r"(?:Who|What|One|It|They|That|Those|Nothing|Everything)\b")
"""How the title of a rule does not begin: its subject is a noun."""

OF_THEIR_OWN = (
    "CHANGELOG.md",  # what was true once
    "conformance/FIRST_VERDICT.md",  # generated
    "reports/matrix/",  # generated
    "spec/decisions.md",  # questions and answers in shorthand
    "spec/tidegauge_spec/decisions/",
    "spec/tidegauge_spec/statements.md",  # sentences of other documents
    "spec/tidegauge_spec/chapters/",  # read rule by rule
)
"""Pages that are not read here."""

HOUSE_STYLE = "\n## Words\n"
"""Where the last section of CONTRIBUTING.md begins, which quotes the habits."""

MESSAGES = (
    "conformance/tidegauge",
    "adapters/tidegauge_adapters",
    "reports/tidegauge_reports",
    "spec/tidegauge_spec",
)
"""Where every text of several words in the code is for users."""

CODE = re.compile(r"```.*?```|`[^`]*`|\]\([^)]*\)|\bproperty [a-z0-9-]+", re.DOTALL)
"""What is a name, not prose."""


class Text(NamedTuple):
    """Something that users read, and where its first line stands."""

    file: str
    line: int
    words: str


def habits_in(text: Text) -> Iterator[str]:
    """A complaint for each habit: file, line, the words and better ones."""
    prose = CODE.sub(lambda found: re.sub(r"[^\n]", "·", found[0]), text.words)
    for habit, better in HABITS.items():
        for found in re.finditer(habit.replace(" ", r"\s+"), prose, re.IGNORECASE):
            line = text.line + prose.count("\n", 0, found.start())
            yield f"{text.file}:{line}: {' '.join(found[0].split())!r} -> {better}"


def tracked(*patterns: str) -> list[str]:
    """The files of the project of these patterns."""
    ended = subprocess.run(
        ["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if ended.returncode:
        pytest.skip("not a clone")
    return ended.stdout.splitlines()


def chapters() -> Iterator[Text]:
    """The chapters, whole: titles, statements, intents, hints and prose."""
    for file in tracked("spec/tidegauge_spec/chapters/*.md"):
        yield Text(file, 1, (ROOT / file).read_text(encoding="utf-8"))


def pages() -> Iterator[Text]:
    """The pages in Markdown."""
    for file in tracked("*.md"):
        if not file.startswith(OF_THEIR_OWN):
            page = (ROOT / file).read_text(encoding="utf-8")
            yield Text(file, 1, page.partition(HOUSE_STYLE)[0])


def messages() -> Iterator[Text]:
    """Texts of several words in the code: messages, summaries of mutants, sentences of properties, the help of
    options; and of commands, whose help they are, the docstrings. What a mutant replaces is code."""
    for file in tracked(*(f"{folder}/*.py" for folder in MESSAGES)):
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        arguments = {id(word) for node in ast.walk(tree) if isinstance(node, ast.Call) for word in node.args}
        docstrings = {
            id(statement.value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            for statement in node.body
            if isinstance(statement, ast.Expr)
        }
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value):
                continue
            if file.endswith("/mutants.py"):
                for_users = id(node) in arguments
            else:
                for_users = id(node) not in docstrings or "/commands" in file
            if for_users:
                yield Text(file, node.lineno, node.value)


def templates() -> Iterator[Text]:
    """The templates of reports and of new projects."""
    for file in tracked("*.j2"):
        yield Text(file, 1, (ROOT / file).read_text(encoding="utf-8"))


def bugs_and_vectors() -> Iterator[Text]:
    """The titles of known bugs, and of golden vectors with their reasons."""
    bugs = "conformance/tidegauge/mutants/known-bugs.jsonl"
    for number, line in enumerate((ROOT / bugs).read_text(encoding="utf-8").splitlines(), start=1):
        yield Text(bugs, number, json.loads(line)["title"])
    for file in tracked("spec/tidegauge_spec/vectors/*/*.json"):
        for number, line in enumerate((ROOT / file).read_text(encoding="utf-8").splitlines(), start=1):
            if line.lstrip().startswith(('"title"', '"reason"')):
                yield Text(file, number, line)


@pytest.mark.parametrize("read", [chapters, pages, messages, templates, bugs_and_vectors])
def test_texts_are_free_of_the_habits(read: object) -> None:
    assert callable(read)
    texts = list(read())
    assert texts
    found = [complaint for text in texts for complaint in habits_in(text)]
    assert not found, "\n" + "\n".join(found)


def test_the_title_of_a_rule_has_a_noun_as_its_subject() -> None:
    rules = load_registry().rules.values()
    found = [
        f"chapters/{rule.file}:{rule.line}: {rule.title!r} -> begin with the subject, a noun"
        for rule in rules
        if PRONOUN_FIRST.match(rule.title)
    ]
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize(
    ("words", "complaints"),
    [
        ("A subtask that has ended is\nnot waited for.", ["page.md:7: 'is not waited for' -> "]),
        ("Nobody is held up for ever.", ["'Nobody'", "'is held up'", "'for ever'"]),
        ("The record is taken for late, be it old.", ["'taken for late'", "'be it'"]),
        ("`nobody` and [a page](for-ever.md), property splits-nobody-left-behind", []),
        ("The setting goes to the subtask; wait for it.", []),
    ],
)
def test_a_habit_is_reported_with_its_place_and_remedy(words: str, complaints: list[str]) -> None:
    reported = list(habits_in(Text("page.md", 7, words)))
    assert len(reported) == len(complaints)
    for complaint in complaints:
        assert any(complaint in report for report in reported)
