"""A query: which entries it finds, the best first. `search.js` ranks in the same way in the browser."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from lunr.token_set import TokenSet

from tidegauge.mutants.known_bugs import load_known_bugs
from tidegauge_spec import load_registry

from .. import addresses
from .entries import Entry
from .index import SearchIndex
from .terms import CONCEPT, PHRASE, concepts, fillers, is_id, parts_of, stem, stems_of, words_of

_OF_A_PHRASE = 3.0
_OF_A_CONCEPT = 1.5
_OF_AN_ID = 4.0
_OF_A_WORD = 1.0

_WHOLE = 3
"""How much a concept or a whole name counts beside the parts of the name, which count 1 each."""

_SHORTEST_BEGINNING = 4
"""A shorter word is not taken for the beginning of another."""

_LONG = 6
"""In words of this length two letters may be wrong, in shorter words one."""

_WEAKEST = 0.1
"""Entries with less than this share of the best score are not shown."""


@dataclass(frozen=True)
class Answer:
    """What a query finds.

    Attributes:
        entries: the entries, the best first.
        corrected: the query with misspelled words replaced; empty if it has none.
        notes: sentences about issues that are not among the known bugs, and rules that do not exist.
    """

    entries: Sequence[Entry]
    corrected: str = ""
    notes: Sequence[str] = ()


@dataclass
class _Plan:
    """How a query is looked up.

    Attributes:
        phrase: the term of the whole query, if it is one of the phrases of an entry.
        groups: the terms that stand for a word or a concept of the query each, with the weight of the group
            and the boost of each term in it.
    """

    phrase: str = ""

    groups: list[tuple[float, dict[str, int]]] = field(default_factory=list)


def find(search: SearchIndex, query: str) -> Answer:
    """Return what a query finds."""
    written = words_of(query)
    words = [_corrected(search, word) for word in written]
    plan = _plan(search, words)
    ranked = list(_each_guide_once(search.entries[place] for place in _ranking(search, plan)))
    notes = [unknown_id(word) for word in words if is_id(word) and not search.has(stem(word))]
    if notes:
        ranked.sort(key=lambda entry: entry.address != addresses.KNOWN_BUGS)
    return Answer(ranked, " ".join(words) if words != written else "", notes)


def _corrected(search: SearchIndex, word: str) -> str:
    """Return a word as it was probably meant: few letters differ, and many entries contain it. A word that an
    entry contains, that is the beginning of such a word, or that is an id, is returned as it is."""
    if is_id(word) or any(search.has(term) for term in _terms(word)) or _longer_terms(search, word):
        return word
    for distance in (1, 2) if len(word) >= _LONG else (1,):
        similar = search.spelling_set.intersect(TokenSet.from_fuzzy_string(word.lower(), distance)).to_list()
        if similar:
            return max(sorted(map(str, similar)), key=lambda spelling: search.spellings[spelling])
    return word


def _plan(search: SearchIndex, words: Sequence[str]) -> _Plan:
    plan = _Plan()
    stems = [stems_of([word]) for word in words]
    phrase = PHRASE + " ".join(part for parts in stems for part in parts)
    if search.has(phrase):
        plan.phrase = phrase
    in_concepts = set()
    for name, phrases in concepts().items():
        places = sorted({place for phrase in phrases for place in _places(phrase.split(), stems)})
        if places:
            terms = {term: boost for place in places for term, boost in _terms(words[place]).items()}
            plan.groups.append((_OF_A_CONCEPT, {**terms, CONCEPT + name: _WHOLE}))
            in_concepts.update(places)
    rest = [word for place, word in enumerate(words) if place not in in_concepts]
    meant = [word for word in rest if word.lower() not in fillers()]
    plan.groups += [_group(search, word) for word in meant or ([] if plan.groups else rest)]
    return plan


def _group(search: SearchIndex, word: str) -> tuple[float, dict[str, int]]:
    if is_id(word):
        return (_OF_AN_ID, {stem(word): 1}) if search.has(stem(word)) else (_OF_A_WORD, {stem("bugs"): 1})
    known = {term: boost for term, boost in _terms(word).items() if search.has(term)}
    return _OF_A_WORD, known or dict.fromkeys(_longer_terms(search, word), 1)


def _longer_terms(search: SearchIndex, word: str) -> list[str]:
    """Return the terms of which a word is the beginning; none for a short word."""
    if len(word) < _SHORTEST_BEGINNING:
        return []
    return list(search.index.token_set.intersect(TokenSet.from_string(f"{stem(word)}*")).to_list())


def _places(phrase: Sequence[str], stems: Sequence[Sequence[str]]) -> list[int]:
    """Return the positions of the words in which a phrase occurs; empty if it does not occur."""
    flat = [(part, place) for place, parts in enumerate(stems) for part in parts]
    for start in range(len(flat) - len(phrase) + 1):
        window = flat[start : start + len(phrase)]
        if [part for part, _ in window] == list(phrase):
            return [place for _, place in window]
    return []


def _terms(word: str) -> dict[str, int]:
    """Return the terms of a word of the query with their boosts: the whole name, and its parts."""
    parts = {stem(part): 1 for part in parts_of(word) if len(part) > 1}
    return {**parts, stem(word): _WHOLE}


def unknown_id(word: str) -> str:
    """Say that an issue is not among the known bugs, or that a rule does not exist."""
    word = word.upper()
    prefixes = {chapter.prefix for chapter in load_registry().chapters.values()}
    if word.partition("-")[0] in prefixes:
        return f"There is no rule {word}."
    return f"{word} is not among the {len(load_known_bugs())} known bugs."


def _ranking(search: SearchIndex, plan: _Plan) -> list[int]:
    """Return the positions of the entries, the best first.

    The scores of all words are added. An entry that lacks words loses by the share that it lacks.
    """
    scores: defaultdict[int, float] = defaultdict(float)
    matches: defaultdict[int, int] = defaultdict(int)
    for weight, terms in plan.groups:
        for place, score in _scores(search, terms):
            scores[place] += weight * score
            matches[place] += 1
    final = {place: score * (matches[place] / len(plan.groups)) ** 2 for place, score in scores.items()}
    weakest = _WEAKEST * max(final.values(), default=0)
    final = {place: score for place, score in final.items() if score >= weakest}
    for place, score in _scores(search, {plan.phrase: 1} if plan.phrase else {}):
        final[place] = final.get(place, 0) + _OF_A_PHRASE * score
    return sorted(final, key=lambda place: (-round(final[place], 4), place))


def _scores(search: SearchIndex, terms: Mapping[str, int]) -> Iterator[tuple[int, float]]:
    """Yield the position and the score of each entry that contains one of the terms."""
    query = search.index.create_query()
    for term, boost in terms.items():
        query.term(term, boost=boost, use_pipeline=False)
    for result in search.index.query(query) if terms else ():
        yield int(result["ref"]), result["score"]


def _each_guide_once(ranked: Iterator[Entry]) -> Iterator[Entry]:
    """Yield the entries, of each guide only the best section."""
    seen = set()
    for entry in ranked:
        page = entry.address.partition("#")[0] if entry.kind in ("guide", "section") else entry.address
        if page not in seen:
            seen.add(page)
            yield entry
