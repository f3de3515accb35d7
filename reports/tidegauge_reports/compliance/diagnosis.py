"""The diagnosis on the page: a table of differences, each a defect, a choice or unknown."""

import re
from dataclasses import dataclass, field

from tidegauge.wire.results import Results, Term
from tidegauge.words.diagnosis import SMALL_CHANGE, TERM_KINDS, term_name, term_sentence

from ..text import LONGEST, in_natural_order, natural_key

_MOST_LINKS = 3

_LONGEST_READ = 20 * LONGEST
"""Number of characters at the start of a reason that are searched for code. No place shows more of it."""

_NOTHING = r"(?!)"
"""A pattern that matches nowhere."""


@dataclass
class DifferenceView:
    """A difference from the profile. A difference that several components show has one view.

    Attributes:
        kind: whether it is a defect, a choice, or unknown.
        sentence: what an engine with the difference does.
        name: the name of the mutant or the policy with its value; empty for a small change.
        components: the components that show it.
        rules: the rules that it breaks, in natural order.
        bugs: known bugs that do the same, each with its link, which may be empty.
        ties: names of other differences that explain the failures equally well.
    """

    kind: str
    sentence: str
    name: str
    components: list[str] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)
    bugs: list[tuple[str, str]] = field(default_factory=list)
    ties: list[str] = field(default_factory=list)


def difference_views(results: Results) -> list[DifferenceView]:
    """Return the differences that explain the failures: known bugs first, then in the order of the rules."""
    views: dict[tuple[str, str], DifferenceView] = {}
    for found in results.components:
        for term in found.model:
            view = views.setdefault((term.kind, term.name), _view(term))
            view.components = list(dict.fromkeys([*view.components, found.component]))
            view.ties = list(dict.fromkeys([*view.ties, *_named_ties(term)]))
            view.rules = in_natural_order({*view.rules, *term.rules})
    return sorted(views.values(), key=lambda view: (not view.bugs, list(map(natural_key, view.rules))))


def _view(term: Term) -> DifferenceView:
    small = term.kind == "small-change"
    name = "" if small else term.name.replace("=", " = ") if term.kind == "policy" else term.name
    return DifferenceView(
        kind=TERM_KINDS[term.kind],
        sentence=term_sentence(term),
        name=name,
        bugs=_bugs(term)[:_MOST_LINKS],
    )


def _bugs(term: Term) -> list[tuple[str, str]]:
    """Return the known bugs of a term with their links.

    The two lists are parallel only if they have the same length: a bug without a link has no place in
    `links`. Otherwise the bugs have no link, and the links stand for themselves.
    """
    if len(term.links) == len(term.bugs):
        return list(zip(term.bugs, term.links, strict=True))
    return [*((bug, "") for bug in term.bugs), *((link, link) for link in term.links)]


def _named_ties(term: Term) -> list[str]:
    return [tie for tie in term.ties if not _is_code(tie)]


def code_in_reasons(results: Results) -> re.Pattern[str]:
    """Return a pattern that matches the names of the small changes of a run, which are code of the reference.

    Other names are not code and can be a single letter, so they are not matched.
    """
    names = {
        name
        for found in results.components
        for term in found.model
        if term.kind == "small-change" and _is_code(term.name) and len(term.name) <= LONGEST
        for name in (term.name, term_name(term))
    }
    longest_first = sorted(names, key=lambda name: (-len(name), name))
    return re.compile("|".join(map(re.escape, longest_first)) or _NOTHING)


def without_code(text: str, code: re.Pattern[str]) -> str:
    """Return a reason without code of the reference. `code` is the pattern of `code_in_reasons`.

    All names are replaced in one pass: a second pass could find a name in the words that replace another.
    """
    head, tail = text[:_LONGEST_READ], text[_LONGEST_READ:]
    return code.sub(SMALL_CHANGE, head) + tail


def _is_code(name: str) -> bool:
    """Return whether a tie is a small change, as its name shows: `valve.f: a -> b`."""
    return " -> " in name
