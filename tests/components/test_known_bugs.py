"""Known bugs: none is lost, each has one disposition, and they and the wrong engines name each other."""

from __future__ import annotations

import re
from collections import Counter
from importlib.resources import files
from typing import get_args, get_type_hints
from urllib.parse import urlsplit

import pytest
from msgspec import ValidationError
from msgspec.json import decode

from tidegauge.components.registry import load_mutants
from tidegauge.mutants.known_bugs import KnownBug, known_bug, load_known_bugs
from tidegauge_reference import CORE, Policies
from tidegauge_spec import load_registry, load_statements, read_policies

BUGS = load_known_bugs()
MUTANTS = load_mutants()
STATEMENTS = set(load_statements())
STATEMENT = re.compile(r"[A-E][0-9]+")
WORDS = re.compile(r"[a-z]+( [\w.'-]+)+")


def test_every_id_is_there_once() -> None:
    lines = (files("tidegauge.mutants") / "known-bugs.jsonl").read_text(encoding="utf-8").splitlines()
    ids = Counter(id for bug in BUGS.values() for id in (bug.id, *bug.also))
    assert [id for id, count in ids.items() if count > 1] == []
    assert len(lines) == len(BUGS)
    assert not [id for id in ids if re.search(r"\s", id)]
    assert all(known_bug(id) is not None for id in ids)


@pytest.mark.parametrize("bug", BUGS.values(), ids=list(BUGS))
def test_a_bug_has_one_disposition_a_title_and_links(bug: KnownBug) -> None:
    assert bool(bug.mutants) + (bug.policy is not None) + bool(bug.unusable) == 1
    assert bug.title[0].isupper()
    assert not bug.title.endswith(".")
    assert bug.system
    assert bug.links
    assert len({*bug.links}) == len(bug.links)
    for link in bug.links:
        parts = urlsplit(link)
        assert (parts.scheme, parts.query, parts.fragment) == ("https", "", ""), link
        assert re.fullmatch(r"[a-z.]+\.(com|org)", parts.netloc), link
        assert re.fullmatch(r"(/[\w.%+-]+){4,}", parts.path), link


def test_every_wrong_engine_that_a_bug_names_exists() -> None:
    named = [(bug.id, name) for bug in BUGS.values() for name in bug.mutants]
    assert [entry for entry in named if entry[1] not in MUTANTS] == []
    assert len({*named}) == len(named)
    assert [entry for entry in named if entry[1].endswith("-does-nothing")] == []


def test_every_policy_that_a_bug_names_has_that_value_and_another_under_core() -> None:
    values = get_type_hints(Policies)
    for bug in BUGS.values():
        for named in (*bug.under, *([bug.policy] if bug.policy is not None else [])):
            assert named.value in get_args(values[named.name]), bug.id
            assert named.value != getattr(CORE, named.name), bug.id
    assert any(bug.policy is not None for bug in BUGS.values())
    assert any(bug.under for bug in BUGS.values())


def test_a_bug_is_shown_under_the_values_of_policies_that_have_it() -> None:
    assert BUGS["FLINK-38477"].is_shown_under("valve_finished_channel", "counts")
    assert not BUGS["FLINK-38477"].is_shown_under("valve_finished_channel", "leaves")
    assert BUGS["FLINK-40234"].is_shown_under("clock_busy_downstream", "counted")
    assert not BUGS["FLINK-7721"].is_shown_under("valve_finished_channel", "counts")


def test_a_policy_whose_source_is_a_known_defect_of_a_mutant_is_a_value_that_has_it() -> None:
    """What `policies.md` says of a release, and the list of known bugs, are the same."""
    named = {
        (policy.name, id)
        for policy in read_policies().values()
        for id in re.findall(r"FLINK-[0-9]+", policy.source)
    }
    assert len(named) > 9
    told = {
        (value.name, id)
        for bug in BUGS.values()
        for value in (*bug.under, *([bug.policy] if bug.policy is not None else []))
        for id in (bug.id.rstrip("ab"), *bug.also)
    }
    proposals = {("low_watermark_counts", "FLINK-4576"), ("align_failed_subtask", "FLINK-40505")}
    assert named - told == proposals, "these are no defects"


@pytest.mark.parametrize("name", MUTANTS)
def test_what_a_wrong_engine_comes_from_is_known(name: str) -> None:
    """A known bug that names it too, a statement that there is, or a few words: no id that nobody knows."""
    mutant = MUTANTS[name]
    known = known_bug(mutant.bug)
    if known is not None:
        assert name in known.mutants
        assert mutant.link == known.links[0]
        return
    assert mutant.link is None
    if STATEMENT.fullmatch(mutant.bug):
        assert mutant.bug in STATEMENTS
    else:
        assert WORDS.fullmatch(mutant.bug)


def test_every_bug_that_a_rule_names_is_known() -> None:
    rules = load_registry().rules.values()
    named = {
        (rule.id, source) for rule in rules for source in rule.sources if not STATEMENT.fullmatch(source)
    }
    assert len(named) > 40
    assert sorted(entry for entry in named if known_bug(entry[1]) is None) == []


def test_a_bug_is_found_by_its_further_ids_too() -> None:
    assert known_bug("FLINK-3554") is known_bug("FLINK-2577") is BUGS["FLINK-2577"]
    assert known_bug("FLINK-0") is None


def test_a_line_with_a_misspelled_field_is_refused() -> None:
    line = b'{"id": "X-1", "system": "X", "title": "T", "links": [], "mutant": ["valve-no-flush"]}'
    with pytest.raises(ValidationError, match="mutant"):
        decode(line, type=KnownBug)
