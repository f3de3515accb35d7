"""The search index: built by lunr.py together with the site, and read by lunr.js in the browser."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec
from lunr.builder import Builder
from lunr.index import Index
from lunr.token_set import TokenSet

from tidegauge.mutants.known_bugs import load_known_bugs

from ..addresses import KNOWN_BUGS
from .entries import WEIGHTS, Entry
from .ranking import RANKING
from .terms import CONCEPT, PHRASE, concepts, fillers, is_id, parts_of, phrase_of, terms_of, words_of

FIELDS = {"title": 6, "typed": 6, "names": 2, "text": 1}
"""The fields of an entry, and the weight of a term in each."""

_SHORTEST_CORRECTION = 4
"""Shorter words are neither corrected nor suggested."""


@dataclass(frozen=True)
class SearchIndex:
    """All entries of the search and the index over them.

    Attributes:
        entries: all entries; the index refers to an entry by its position in this list.
        index: the lunr index.
        spellings: the number of entries that contain each word, unstemmed. A misspelled word is replaced by
            one of these words.
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

    @cached_property
    def longest_spelling(self) -> int:
        """The length of the longest spelling; 0 if there is none."""
        return max(map(len, self.spellings), default=0)


def build_index(entries: Sequence[Entry]) -> SearchIndex:
    """Build the index over some entries."""
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
    """Return the index as a script, since pages that are opened from files cannot fetch data."""
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
        "longestSpelling": search.longest_spelling,
        "ranking": msgspec.to_builtins(RANKING),
        "bugs": len(load_known_bugs()),
        "knownBugs": KNOWN_BUGS,
    }
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c")
    return f"window.tidegaugeSearch={text};\n"


def _without_pipeline(serialized: Any) -> Any:
    """Return the index without its pipeline: the terms are already stems, and lunr.js need not stem them."""
    return {**serialized, "pipeline": []}
