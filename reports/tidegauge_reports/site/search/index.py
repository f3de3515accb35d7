"""The index of the search: made with lunr.py when the site is built, and read by lunr.js in the browser."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lunr.builder import Builder
from lunr.index import Index
from lunr.token_set import TokenSet

from tidegauge.mutants.known_bugs import load_known_bugs

from ..addresses import KNOWN_BUGS
from .entries import WEIGHTS, Entry
from .terms import CONCEPT, PHRASE, concepts, fillers, is_id, parts_of, phrase_of, terms_of, words_of

FIELDS = {"title": 6, "typed": 6, "names": 2, "text": 1}
"""The fields of an entry, and how much a term counts in each."""

_SHORTEST_CORRECTION = 4
"""Shorter words are not corrected, nor suggested."""


@dataclass(frozen=True)
class SearchIndex:
    """What can be found, and the index over it.

    Attributes:
        entries: all entries; the reference of an entry in the index is its position.
        index: the index of lunr.
        spellings: how many entries contain each word, as people write it: a misspelled word is replaced by
            one of them.
    """

    entries: Sequence[Entry]
    index: Index
    spellings: Mapping[str, int]

    def has(self, term: str) -> bool:
        """Return whether any entry contains a term."""
        return term in self.index.inverted_index

    @cached_property
    def spelling_set(self) -> TokenSet:
        """The spellings as a set that lunr can compare with a misspelled word."""
        return TokenSet.from_list(sorted(self.spellings))


def build_index(entries: Sequence[Entry]) -> SearchIndex:
    """Return the index over some entries."""
    builder = Builder()
    builder.ref("id")
    for field, boost in FIELDS.items():
        builder.field(field, boost=boost)
    spellings: Counter[str] = Counter()
    for place, entry in enumerate(entries):
        typed = " . ".join(entry.typed)
        texts = {"title": entry.title, "typed": typed, "names": entry.names, "text": entry.text}
        document: dict[str, Any] = {field: terms_of(text) for field, text in texts.items()}
        document["id"] = str(place)
        document["typed"] += [PHRASE + phrase_of(phrase) for phrase in (entry.title, *entry.typed)]
        builder.add(document, {"boost": WEIGHTS[entry.kind]})
        spellings.update(_spellings(" ".join(texts.values())))
    return SearchIndex(entries, builder.build(), spellings)


def _spellings(text: str) -> set[str]:
    return {
        part
        for word in words_of(text)
        if not is_id(word)
        for part in {*parts_of(word), word.lower()}
        if part.isalpha() and len(part) >= _SHORTEST_CORRECTION
    }


def index_script(search: SearchIndex) -> str:
    """Return the script that holds the index: pages that are opened from files cannot fetch data."""
    data = {
        "entries": [
            [entry.address, entry.kind, entry.title, entry.shown_summary] for entry in search.entries
        ],
        "index": _without_pipeline(search.index.serialize()),
        "concepts": concepts(),
        "concept": CONCEPT,
        "phrase": PHRASE,
        "fillers": sorted(fillers()),
        "spellings": dict(sorted(search.spellings.items())),
        "bugs": len(load_known_bugs()),
        "knownBugs": KNOWN_BUGS,
    }
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c")
    return f"window.tidegaugeSearch={text};\n"


def _without_pipeline(serialized: Any) -> Any:
    """The terms are stems already; lunr.js need not change them again."""
    return {**serialized, "pipeline": []}
