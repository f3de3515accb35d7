"""The diagnosis on the page: a table of differences, each a defect, a choice or unknown."""

from dataclasses import dataclass, field

from tidegauge.wire.results import Results, Term
from tidegauge.words.diagnosis import SMALL_CHANGE, TERM_KINDS, term_name, term_sentence

from ..text import in_natural_order, natural_key

_MOST_LINKS = 3


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
            view.rules = in_natural_order({*view.rules, *term.rules})
    return sorted(views.values(), key=lambda view: (not view.bugs, list(map(natural_key, view.rules))))


def _view(term: Term) -> DifferenceView:
    small = term.kind == "small-change"
    name = "" if small else term.name.replace("=", " = ") if term.kind == "policy" else term.name
    links = [*term.links, *[""] * len(term.bugs)]
    bugs = list(zip(term.bugs, links, strict=False)) or [(link, link) for link in term.links]
    return DifferenceView(
        kind=TERM_KINDS[term.kind],
        sentence=term_sentence(term),
        name=name,
        bugs=bugs[:_MOST_LINKS],
        ties=[tie for tie in term.ties if not _is_code(tie)],
    )


def without_code(text: str, results: Results) -> str:
    """Return a reason without code of the reference: the names of small changes are code."""
    for found in results.components:
        for term in found.model:
            if term.kind == "small-change" and term.name:
                text = text.replace(term_name(term), SMALL_CHANGE).replace(term.name, SMALL_CHANGE)
    return text


def _is_code(name: str) -> bool:
    """Return whether a tie is a small change, as its name shows: `valve.f: a -> b`."""
    return " -> " in name
