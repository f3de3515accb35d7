"""The terms of a text: whole words, the parts of names such as `allowedLateness`, and concepts, for which
engines have different words. `search.js` does the same with a query in the browser."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from tomllib import loads

from lunr.stemmer import PorterStemmer

_WORD = re.compile(r"[A-Za-z0-9]+(?:[-_.][A-Za-z0-9]+)*")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_ID = re.compile(r"([A-Z]+)(?:-PR)?-[0-9]+[a-z]?", re.IGNORECASE)
"""The id of a rule or an issue: `VALVE-3`, `FLINK-40475a`. Its number alone is not a term."""

CONCEPT = "concept:"
PHRASE = "phrase:"

_BREAK = "|"
"""Stands for an id among stems. No phrase contains it, so the phrase of a concept never spans an id."""


def words_of(text: str) -> list[str]:
    """Return the words of a text unchanged; a name with dots, hyphens or underscores is one word."""
    return _WORD.findall(text)


def is_id(word: str) -> bool:
    """Return whether a word is the id of a rule or of an issue, such as `FLINK-7728`."""
    return _ID.fullmatch(word) is not None


def parts_of(word: str) -> list[str]:
    """Return the parts of a word in lower case: `with` and `idleness` for `withIdleness`."""
    return [part.lower() for part in _PART.findall(word)]


@cache
def stem(word: str) -> str:
    """Return the stem of a word in lower case: `watermark` for `Watermarks`."""
    return str(_STEMMER.stem(word.lower()))


_STEMMER = PorterStemmer()


def terms_of(text: str) -> list[str]:
    """Return the terms of a text in the order of its words, followed by the concepts that it mentions."""
    words = words_of(text)
    terms = [term for word in words for term in _terms_of_word(word)]
    return [*terms, *(CONCEPT + name for name in concepts_in(concept_stems(words)))]


def _terms_of_word(word: str) -> Iterator[str]:
    yield stem(word)
    identifier = _ID.fullmatch(word)
    if identifier:
        if word[-1].isalpha():  # an issue with several defects: FLINK-40475a
            yield stem(word[:-1])
        yield stem(identifier[1])
        return
    parts = parts_of(word)
    if len(parts) > 1:
        yield from (stem(part) for part in parts if len(part) > 1)


def stems_of(words: Iterable[str]) -> list[str]:
    """Return the stems of all parts of some words, for comparison with the phrases of concepts."""
    return [stem(part) for word in words for part in parts_of(word)]


def concept_stems(words: Iterable[str]) -> list[str]:
    """Return the stems of some words in which concepts are looked for. An id mentions no concept: the chapter
    of `VALVE-3` is not the word "valve"."""
    return [part for word in words for part in ((_BREAK,) if is_id(word) else stems_of([word]))]


def phrase_of(text: str) -> str:
    """Return the stems of a text, joined: the form in which queries are compared with phrases of entries."""
    return " ".join(stems_of(words_of(text)))


def concepts_in(stems: Sequence[str]) -> list[str]:
    """Return the names of the concepts that have a phrase in a sequence of stems."""
    text = f" {' '.join(stems)} "
    return [name for name, phrases in concepts().items() if any(f" {phrase} " in text for phrase in phrases)]


@cache
def concepts() -> Mapping[str, Sequence[str]]:
    """Return the phrases of each concept as stems, the longest first."""
    return {
        name: sorted({phrase_of(phrase) for phrase in phrases}, key=lambda phrase: (-len(phrase), phrase))
        for name, phrases in synonyms()["concepts"].items()
    }


@cache
def fillers() -> frozenset[str]:
    """Return the filler words, which queries ignore, in lower case."""
    return frozenset(synonyms()["fillers"]["words"])


@cache
def synonyms() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Return `synonyms.toml`: filler words, the phrases of each concept, and typical queries by page."""
    return loads((files(__package__) / "synonyms.toml").read_text(encoding="utf-8"))
