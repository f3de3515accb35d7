"""Finds and ranks the entries for a query. `search.js` implements the same ranking in the browser."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import floor

from lunr.token_set import TokenSet

from tidegauge.mutants.known_bugs import load_known_bugs
from tidegauge_spec import load_registry

from .. import addresses
from .entries import Entry
from .index import SearchIndex
from .ranking import RANKING
from .terms import (
    CONCEPT,
    PHRASE,
    concept_stems,
    concepts,
    fillers,
    is_id,
    parts_of,
    stem,
    stems_of,
    words_of,
)


@dataclass(frozen=True)
class Answer:
    """The results of a query.

    Attributes:
        entries: the entries, best first.
        corrected: the query with misspelled words corrected; empty if no word is misspelled.
        notes: sentences about issues that are not among the known bugs, and rules that do not exist.
    """

    entries: Sequence[Entry]
    corrected: str = ""
    notes: Sequence[str] = ()


@dataclass
class _Plan:
    """The terms to look up for a query.

    Attributes:
        phrase: the term for the whole query if an entry has this phrase; otherwise empty.
        groups: for each word or concept of the query, its weight, and its terms with their boosts.
    """

    phrase: str = ""

    groups: list[tuple[float, dict[str, int]]] = field(default_factory=list)


def find(search: SearchIndex, query: str) -> Answer:
    """Find and rank the entries for a query."""
    written = words_of(query)[: RANKING.most_words]
    words = [_corrected(search, word) for word in written]
    plan = _plan(search, words)
    ranked = list(_each_guide_once(search.entries[place] for place in _ranking(search, plan)))
    notes = [unknown_id(word) for word in words if is_id(word) and not search.has(stem(word))]
    if notes:
        ranked.sort(key=lambda entry: entry.address != addresses.KNOWN_BUGS)
    return Answer(ranked, " ".join(words) if words != written else "", notes)


def _corrected(search: SearchIndex, word: str) -> str:
    """Return the most frequent similar spelling of a misspelled word. Ids, words that an entry contains, and
    prefixes of such words are returned unchanged."""
    if is_id(word) or any(search.has(term) for term in _terms(word)) or _longer_terms(search, word):
        return word
    # The automaton of similar words grows with the length of the word. A word that has more than two letters
    # more than every spelling is not similar to any.
    if len(word) > search.longest_spelling + RANKING.most_wrong:
        return word
    for distance in range(1, (RANKING.most_wrong if len(word) >= RANKING.long else 1) + 1):
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
    without_ids = [concept_stems([word]) for word in words]
    in_concepts = set()
    for name, phrases in concepts().items():
        places = sorted({place for phrase in phrases for place in _places(phrase.split(), without_ids)})
        if places:
            terms = {term: boost for place in places for term, boost in _terms(words[place]).items()}
            plan.groups.append((RANKING.of_a_concept, {**terms, CONCEPT + name: RANKING.whole}))
            in_concepts.update(places)
    rest = [word for place, word in enumerate(words) if place not in in_concepts]
    meant = [word for word in rest if word.lower() not in fillers()]
    plan.groups += [_group(search, word) for word in meant or ([] if plan.groups else rest)]
    return plan


def _group(search: SearchIndex, word: str) -> tuple[float, dict[str, int]]:
    if is_id(word):
        if search.has(stem(word)):
            return RANKING.of_an_id, {stem(word): 1}
        return RANKING.of_a_word, {stem("bugs"): 1}
    known = {term: boost for term, boost in _terms(word).items() if search.has(term)}
    return RANKING.of_a_word, known or dict.fromkeys(_longer_terms(search, word), 1)


def _longer_terms(search: SearchIndex, word: str) -> list[str]:
    """Return the terms that begin with a word; none for a short word."""
    if len(word) < RANKING.shortest_beginning:
        return []
    return list(search.index.token_set.intersect(TokenSet.from_string(f"{stem(word)}*")).to_list())


def _places(phrase: Sequence[str], stems: Sequence[Sequence[str]]) -> list[int]:
    """Return the positions of the words that contain a phrase; empty if it does not occur."""
    flat = [(part, place) for place, parts in enumerate(stems) for part in parts]
    for start in range(len(flat) - len(phrase) + 1):
        window = flat[start : start + len(phrase)]
        if [part for part, _ in window] == list(phrase):
            return [place for _, place in window]
    return []


def _terms(word: str) -> dict[str, int]:
    """Return the terms of a word of the query with their boosts: the whole word and its parts."""
    parts = {stem(part): 1 for part in parts_of(word) if len(part) > 1}
    return {**parts, stem(word): RANKING.whole}


def unknown_id(word: str) -> str:
    """Return a sentence: an issue is not among the known bugs, or a rule does not exist."""
    word = word.upper()
    prefixes = {chapter.prefix for chapter in load_registry().chapters.values()}
    if word.partition("-")[0] in prefixes:
        return f"There is no rule {word}."
    return f"{word} is not among the {len(load_known_bugs())} known bugs."


def _ranking(search: SearchIndex, plan: _Plan) -> list[int]:
    """Return the positions of the entries, best first.

    The score of an entry is the sum over the groups, times the square of the fraction of groups that match.
    Entries below the weakest score are dropped. Then the score of the whole phrase is added.
    """
    scores: defaultdict[int, float] = defaultdict(float)
    matches: defaultdict[int, int] = defaultdict(int)
    for weight, terms in plan.groups:
        for place, score in _scores(search, terms):
            scores[place] += weight * score
            matches[place] += 1
    final = {place: score * (matches[place] / len(plan.groups)) ** 2 for place, score in scores.items()}
    weakest = RANKING.weakest * max(final.values(), default=0)
    final = {place: score for place, score in final.items() if score >= weakest}
    for place, score in _scores(search, {plan.phrase: 1} if plan.phrase else {}):
        final[place] = final.get(place, 0) + RANKING.of_a_phrase * score
    # As Math.round in the browser: round() would take 0.00125 to an even digit.
    rounded = {place: floor(score * 10**RANKING.digits + 0.5) for place, score in final.items()}
    return sorted(final, key=lambda place: (-rounded[place], place))


def _scores(search: SearchIndex, terms: Mapping[str, int]) -> Iterator[tuple[int, float]]:
    """Yield the position and the score of each entry that contains one of the terms."""
    query = search.index.create_query()
    for term, boost in terms.items():
        query.term(term, boost=boost, use_pipeline=False)
    for result in search.index.query(query) if terms else ():
        yield int(result["ref"]), result["score"]


def _each_guide_once(ranked: Iterator[Entry]) -> Iterator[Entry]:
    """Yield the entries, but only the best section of each guide."""
    seen = set()
    for entry in ranked:
        page = entry.address.partition("#")[0] if entry.kind in ("guide", "section") else entry.address
        if page not in seen:
            seen.add(page)
            yield entry
