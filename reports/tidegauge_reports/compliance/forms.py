"""Rules written for the page, as fully as its size allows: those at the root of failures come first."""

from collections.abc import Callable
from dataclasses import dataclass, field

from markupsafe import Markup

from .page import Page, RuleView


@dataclass(frozen=True)
class Form:
    """How fully a rule is shown: with the picture and the steps of its counterexample; `brief`: with little
    more than its sentence and where to find the rest. A form is used until the rules and what stands above
    them take `limit` characters together, None: however many."""

    name: str
    limit: int | None
    picture: bool = False
    steps: bool = False
    brief: bool = False


@dataclass(frozen=True)
class Sizes:
    """The forms of a page's rules, from the fullest to the last, which has no limit. `keeps_room`: each limit
    counts what the rules still to come take in the last form."""

    forms: tuple[Form, ...]
    keeps_room: bool = False


FORMS = (
    Form("whole", 900_000, picture=True, steps=True),
    Form("without picture", 1_100_000, steps=True),
    Form("without steps", 1_600_000),
    Form("brief", None, brief=True),
)
"""A full run has some 150 rules, and a page of less than 2 MB with all of them failing; 5,000 failing rules
make one of less than 10 MB."""

ALONE = Sizes(FORMS)

_MOST_MISSES = 20
"""So many rules may be too large for a form before it is no longer tried."""

Writer = Callable[[RuleView, Form, bool], Markup]


@dataclass
class WrittenRules:
    """The rules as they stand on the page, by anchor; `shortened` counts the failing ones in each form that
    leaves something out, `others_in_brief` the other rules that are shown in brief."""

    by_anchor: dict[str, Markup] = field(default_factory=dict)
    shortened: dict[str, int] = field(default_factory=dict)
    others_in_brief: int = 0


MOST_OPEN = 20
"""So many failing rules are open from the start."""


def write_rules(page: Page, write: Writer, sizes: Sizes = ALONE, above: int = 0) -> WrittenRules:
    """All rules of the page. `write` writes one in a form, open or closed. `above`: how many characters stand
    above them: a diagnosis can be long."""
    written = WrittenRules()
    size = above
    misses = dict.fromkeys(sizes.forms, 0)
    failing = page.failing
    opened = {view.anchor for view in failing[:MOST_OPEN]}
    first = {view.anchor for view in failing}
    views = [*failing, *(view for view in page.views if view.anchor not in first)]
    last = sizes.forms[-1]
    shortest = {view.anchor: len(write(view, last, False)) for view in views} if sizes.keeps_room else {}
    room = sum(shortest.values())
    for view in views:
        room -= shortest.get(view.anchor, 0)
        for form in sizes.forms:
            if misses[form] > _MOST_MISSES:
                continue
            text = write(view, form, view.anchor in opened)
            if form.limit is None or size + len(text) + room <= form.limit:
                break
            misses[form] += 1
        size += len(text)
        written.by_anchor[view.anchor] = text
        if form is not sizes.forms[0] and view.result.counterexample is not None:
            written.shortened[form.name] = written.shortened.get(form.name, 0) + 1
        elif form.brief:
            written.others_in_brief += 1
    return written
