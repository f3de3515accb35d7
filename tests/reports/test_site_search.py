"""The search of the site: terms, entries, ranking, and its notes on names that do not exist."""

from __future__ import annotations

import json
import re

import pytest
from lunr.token_set import TokenSet

from tidegauge.mutants.known_bugs import load_known_bugs
from tidegauge_reports.site.engines import engines_with, shipped_engines
from tidegauge_reports.site.pages import render_site
from tidegauge_reports.site.search.entries import Entry, entries
from tidegauge_reports.site.search.files import SEARCH_SCRIPTS, search_files
from tidegauge_reports.site.search.index import SearchIndex, build_index
from tidegauge_reports.site.search.query import find
from tidegauge_reports.site.search.terms import (
    CONCEPT,
    concepts,
    concepts_in,
    stem,
    stems_of,
    synonyms,
    terms_of,
)


@pytest.fixture(scope="module")
def search() -> SearchIndex:
    """The index over the shipped site."""
    return build_index(entries(shipped_engines()))


def small_index(*titles: str) -> SearchIndex:
    """An index over rules with these titles."""
    return build_index([Entry(title, "rule", title, "") for title in titles])


def found(search: SearchIndex, query: str) -> list[str]:
    """Return the addresses that a query finds."""
    return [entry.address for entry in find(search, query).entries]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("allowedLateness", {stem("allowedLateness"), "allow", "late", f"{CONCEPT}allowed lateness"}),
        ("initial_watermark", {"initial_watermark", "initi", "watermark"}),
        ("FLINK-40475a", {"flink-40475a", "flink-40475", "flink"}),
        ("Beam panes", {"beam", "pane", f"{CONCEPT}accumulation"}),
        ("Long.MIN_VALUE", {"long.min_valu", "long", "min", "valu", f"{CONCEPT}no watermark"}),
    ],
)
def test_a_name_is_found_as_a_whole_by_its_parts_and_by_its_concept(text: str, expected: set[str]) -> None:
    assert set(terms_of(text)) >= expected
    assert {term for term in terms_of(text) if term.startswith(CONCEPT)} == {
        term for term in expected if term.startswith(CONCEPT)
    }


def test_an_id_mentions_no_concept_and_separates_the_words_around_it() -> None:
    assert terms_of("VALVE-3 IDLE-3") == ["valve-3", "valv", "idle-3", "idl"]
    assert f"{CONCEPT}late records" in terms_of("late data")
    assert f"{CONCEPT}late records" not in terms_of("late VALVE-3 data")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("watermarks go backwards", ["falling watermark"]),
        ("where does my data go", []),
        ("beam pipeline is stuck", ["stuck watermark"]),
        ("max parallelism", []),
        ("min batch size", []),
        ("an engine in Go", ["another language"]),
        ("our CI pipeline", ["continuous integration"]),
        ("watermark of MAX", ["end of input"]),
    ],
)
def test_an_everyday_word_alone_mentions_no_concept(query: str, expected: list[str]) -> None:
    assert concepts_in(stems_of(query.split())) == expected


def test_the_number_of_an_issue_is_not_a_term() -> None:
    assert "40475" not in terms_of("FLINK-40475a")


def test_every_page_with_phrases_is_an_entry_and_every_phrase_of_a_concept_is_found(
    search: SearchIndex,
) -> None:
    assert set(synonyms()["pages"]) <= {entry.address for entry in search.entries}
    for name, phrases in synonyms()["concepts"].items():
        for phrase in phrases:
            assert CONCEPT + name in terms_of(phrase), phrase
    assert all(search.has(CONCEPT + name) for name in concepts()), "a concept that no page mentions"


def test_every_entry_leads_to_a_page_and_an_anchor(search: SearchIndex) -> None:
    pages = dict(render_site(shipped_engines()))
    addresses = [entry.address for entry in search.entries]
    assert len(set(addresses)) == len(addresses)
    ids = {name: set(re.findall(r'\bid="([^"]+)"', page)) for name, page in pages.items()}
    for address in addresses:
        name, _, anchor = address.partition("#")
        assert name in pages, address
        assert not anchor or anchor in ids[name], address
    unlisted = set(pages) - {address.partition("#")[0] for address in addresses}
    assert unlisted == {"index.html", "search.html", "guides/index.html", "vectors/job.html"}


def test_an_entry_with_more_of_the_words_comes_first() -> None:
    search = small_index("The window fires", "The late window", "The late window fires", "Clocks")
    assert found(search, "late window fires")[0] == "The late window fires"
    assert "Clocks" not in found(search, "late window fires")


def test_other_words_for_the_same_find_it() -> None:
    search = small_index("The grace period is over", "The clock pauses", "The valve is idle")
    assert found(search, "withAllowedLateness") == ["The grace period is over"]
    assert found(search, "max.task.idle.ms") == ["The valve is idle"]


def test_the_beginning_of_a_word_and_a_misspelled_word_are_understood() -> None:
    search = small_index("The watermark advances", "The clock pauses")
    assert found(search, "waterm") == ["The watermark advances"]
    answer = find(search, "watremark advnces")
    assert answer.corrected == "watremark advnces".replace("watremark", "watermark").replace(
        "advnces", "advances"
    )
    assert [entry.address for entry in answer.entries] == ["The watermark advances"]
    assert find(search, "watermark").corrected == ""
    assert find(search, "zzzzzz").corrected == ""


def test_a_word_longer_than_every_spelling_is_not_corrected(monkeypatch: pytest.MonkeyPatch) -> None:
    search = small_index("The watermark advances")
    assert find(search, "xxwatermark").corrected == "watermark"
    compared = []
    similar = TokenSet.from_fuzzy_string

    def recorded(word: str, distance: int) -> TokenSet:
        compared.append(len(word))
        return similar(word[:20], distance)

    monkeypatch.setattr(TokenSet, "from_fuzzy_string", recorded)
    assert find(search, "q" * 5000).entries == []
    assert find(search, "q" * (len("watermark") + 3)).entries == []
    assert compared == []


def test_only_the_first_words_of_a_very_long_query_are_looked_up() -> None:
    search = small_index("The late window")
    assert find(search, "late " * 29 + "VALVE-99").notes == ["There is no rule VALVE-99."]
    assert find(search, "late " * 30 + "VALVE-99").notes == []


def test_an_issue_that_is_not_a_known_bug_is_named(search: SearchIndex) -> None:
    answer = find(search, "FLINK-37204")
    assert answer.notes == [f"FLINK-37204 is not among the {len(load_known_bugs())} known bugs."]
    assert answer.entries[0].address == "mutants.html#known-bugs"
    assert not answer.corrected
    assert find(search, "valve-99").notes == ["There is no rule VALVE-99."]
    assert find(search, "flink-3714").notes == []
    assert found(search, "flink-3714")[0] == "known-bugs/FLINK-3714.html"


def test_every_rule_and_every_known_bug_is_first_by_its_id(search: SearchIndex) -> None:
    for entry in search.entries:
        if entry.kind in ("rule", "known bug"):
            assert found(search, entry.title.partition(" ")[0])[0] == entry.address


def test_a_rule_is_first_by_its_id_next_to_a_word_of_a_concept(search: SearchIndex) -> None:
    for rule in (entry for entry in search.entries if entry.kind == "rule"):
        id = rule.title.partition(" ")[0]
        assert found(search, f"{id} restart")[0] == rule.address, id
    for query in ("VALVE-3 idle", "SPLIT-5 restore"):
        assert find(search, query).entries[0].title.startswith(query.partition(" ")[0]), query


def test_of_a_guide_only_the_best_section_is_shown(search: SearchIndex) -> None:
    pages = [address.partition("#")[0] for address in found(search, "write an adapter")]
    assert pages.count("guides/adapter.html") == 1


def test_the_scripts_are_small_and_complete(search: SearchIndex) -> None:
    scripts = search_files(search)
    assert tuple(scripts) == SEARCH_SCRIPTS
    library, index, _ = scripts.values()
    assert "Permission is hereby granted" in library
    assert "lunr" in library
    assert sum(map(len, scripts.values())) < 2_200_000
    data = json.loads(index.partition("=")[2].rstrip(";\n"))
    assert len(data["entries"]) == len(search.entries)
    assert "<" not in index


def test_the_same_entries_give_the_same_scripts(search: SearchIndex) -> None:
    assert search_files(build_index(entries(engines_with([])))) == search_files(search)


def test_stems_join_the_forms_of_a_word() -> None:
    assert {stem(word) for word in ("watermark", "Watermarks")} == {"watermark"}
