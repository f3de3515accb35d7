"""Write rules and cards of suspects as fully as the size of the page allows: root causes come first."""

from collections.abc import Callable
from dataclasses import dataclass, field

from markupsafe import Markup

from .chapters import RuleView
from .failures import FirstCounterexample
from .page import Page
from .suspects import SuspectsView


@dataclass(frozen=True)
class Form:
    """How fully a rule or a card of suspects is shown.

    Attributes:
        limit: the form is used until the rules and everything above them have this many characters; None if
            there is no limit.
        picture: whether the picture of the counterexample is shown.
        steps: whether the steps of the counterexample are shown.
        brief: whether little more is shown than the sentence, and where to find the rest.
    """

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

Shown = RuleView | SuspectsView | FirstCounterexample

Writer = Callable[[Shown, Form, bool], Markup]


@dataclass
class WrittenRules:
    """The rules and cards as they stand on the page.

    Attributes:
        by_anchor: the rendered rules and cards, and the first counterexample, by anchor.
        shortened: by the name of a form that omits something, the number of rules and cards in this form that
            have a counterexample.
        others_in_brief: number of rules without a counterexample that are shown in brief. The rule that leads
            has its counterexample at the top of the page and is not among them.
    """

    by_anchor: dict[str, Markup] = field(default_factory=dict)
    shortened: dict[str, int] = field(default_factory=dict)
    others_in_brief: int = 0


MOST_OPEN = 3
"""Maximum number of failing rules and cards that are open initially. If there are more, only the first one is
open: each takes about two screens."""


def write_rules(page: Page, write: Writer, sizes: Sizes = ALONE, above: int = 0) -> WrittenRules:
    """Write all rules and cards of the page, failures first.

    Args:
        page: what the page shows.
        write: writes a rule or a card in a form, open or closed.
        sizes: the forms to choose from.
        above: number of characters above the rules: a diagnosis can be long.
    """
    written = WrittenRules()
    size = above
    misses = dict.fromkeys(sizes.forms, 0)
    failing: list[Shown] = [*page.failing, *page.suspects]
    opened = {view.anchor for view in failing} if len(failing) <= MOST_OPEN else {page.first_open}
    failing = [page.first, *failing] if page.first else failing
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
        if form is not sizes.forms[0] and view.example is not None:
            written.shortened[form.name] = written.shortened.get(form.name, 0) + 1
        elif form.brief and not (isinstance(view, RuleView) and view.leads):
            written.others_in_brief += 1
    return written
