"""The specification as it stands: whole, and every name in it leads somewhere."""

from __future__ import annotations

import re
import typing
from dataclasses import fields
from pathlib import Path

import pytest

import tidegauge_spec
from tidegauge.components.registry import COMPONENTS
from tidegauge_reference import CORE, PROFILES, Policies
from tidegauge_spec import Rule, load_registry, load_statements, read_policies, read_profiles

RULES = list(load_registry().rules.values())
LEVELS = {"MUST", "SHOULD", "MAY"}
PROPERTIES = {p.name: p for component in COMPONENTS.values() for p in component.properties}

each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: str(rule.id))


STATEMENTS = list(load_statements())


def test_the_chapters_are_read() -> None:
    registry = load_registry()
    assert set(COMPONENTS) <= set(registry.chapters)
    for chapter in registry.chapters.values():
        used = [rule.id for rule in chapter.rules] + sorted(chapter.withdrawn)
        assert sorted(used) == sorted(f"{chapter.prefix}-{n}" for n in range(1, len(used) + 1)), "no gaps"
    assert all(registry.rules[rule.id] is rule for rule in RULES)


def test_a_rule_knows_its_place_in_its_file() -> None:
    for rule in RULES:
        chapter = Path(tidegauge_spec.__file__).parent / "chapters" / rule.file
        line = chapter.read_text(encoding="utf-8").splitlines()[rule.line - 1]
        assert line == f"## {rule.id} {rule.title}"


@each_rule
def test_a_sentence_says_its_level_and_no_other(rule: Rule) -> None:
    said = set(re.findall(r"\b[A-Z]{3,}\b", rule.sentence)) & LEVELS
    assert said == {rule.level}
    assert rule.sentence.endswith(".")


@each_rule
def test_level_words_stand_in_sentences_only(rule: Rule) -> None:
    for text in (rule.title, rule.intent, rule.check):
        assert not set(re.findall(r"\b[A-Z]{3,}\b", text)) & LEVELS


def test_the_statements_are_numbered_without_gaps() -> None:
    assert STATEMENTS
    for letter in "ABCDE":
        numbers = [int(name[1:]) for name in STATEMENTS if name[0] == letter]
        assert numbers == list(range(1, len(numbers) + 1))


@each_rule
def test_every_source_is_a_numbered_statement_or_an_issue(rule: Rule) -> None:
    statements = {source for source in rule.sources if re.fullmatch(r"[A-E][0-9]+", source)}
    assert statements, "a rule without a statement behind it needs an argument"
    assert statements <= set(STATEMENTS)
    assert all(re.fullmatch(r"[A-Z]+(-PR)?-[0-9]+", source) for source in set(rule.sources) - statements)


@each_rule
def test_every_policy_that_a_rule_names_exists(rule: Rule) -> None:
    assert set(rule.policies) <= set(read_policies())


def test_every_policy_is_named_by_a_rule_of_its_source() -> None:
    for policy in read_policies().values():
        named = {rule.id for rule in RULES if policy.name in rule.policies}
        assert named
        assert named == set(re.findall(r"\b[A-Z]+-[0-9]+\b", policy.source)) & {rule.id for rule in RULES}


def test_policies_have_the_names_and_values_of_the_executable_ones() -> None:
    annotations = typing.get_type_hints(Policies)
    texts = read_policies()
    assert list(texts) == [field.name for field in fields(Policies)]
    for name, text in texts.items():
        assert text.values == typing.get_args(annotations[name])
        assert text.values[0] == getattr(CORE, name)


def test_profiles_have_the_names_and_values_of_the_executable_ones() -> None:
    assert list(read_profiles()) == list(PROFILES)
    for text in read_policies().values():
        assert text.profiles == {name: getattr(policies, text.name) for name, policies in PROFILES.items()}
    assert Policies() == CORE == PROFILES["core"]


def properties_named(rule: Rule) -> set[str]:
    """The properties that a rule says check it."""
    return {way.removeprefix("property ") for way in rule.checked_by if way.startswith("property ")}


@each_rule
def test_a_rule_and_the_properties_that_check_it_name_each_other(rule: Rule) -> None:
    assert properties_named(rule) == {name for name, p in PROPERTIES.items() if rule.id in p.rules}


def test_properties_speak_for_rules_that_exist_and_hold_under_policies_that_exist() -> None:
    for name, property in PROPERTIES.items():
        assert property.rules
        assert set(property.rules) <= set(load_registry().rules), name
        for policy, value in property.holds_under.items():
            assert value in read_policies()[policy].values


def test_every_property_holds_under_the_core_profile() -> None:
    for property in PROPERTIES.values():
        assert all(getattr(CORE, policy) == value for policy, value in property.holds_under.items())
