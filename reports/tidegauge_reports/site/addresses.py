"""Where things stand on the site: addresses from its top folder, `valve.html#VALVE-3`."""

import re

from tidegauge_spec import load_registry

from .guides.documents import page_name

RULES = "index.html#rules"
TEN_MINUTES = "ten-minutes.html"
TRACEABILITY = "traceability.html"
POLICIES = "policies.html"
DEFECTS = "mutants.html"
GUIDES = "guides/index.html"
SYMPTOMS = "guides/what-ails-my-job.html"
SEARCH = "search.html"
PLAYGROUND = "playground/index.html"
KNOWN_BUGS = f"{DEFECTS}#known-bugs"


def chapter_page(component: str) -> str:
    """The page of a component's chapter: `valve.html`."""
    return f"{_page_name(component)}.html"


def vectors_page(component: str) -> str:
    """The page of a component's published vectors."""
    return f"vectors/{_page_name(component)}.html"


def mutants_of(component: str) -> str:
    """Where the mutants of a component are listed."""
    return f"{DEFECTS}#{load_registry().chapters[component].prefix}"


def mutant_page(name: str) -> str:
    """The page of a mutant."""
    return f"mutants/{name}.html"


def guide_page(path: str) -> str:
    """The page of a guide, by the path of its document in the project."""
    return f"guides/{page_name(path)}"


def bug_page(bug: str) -> str:
    """The page of a known bug, by its first id."""
    return f"known-bugs/{bug}.html"


def reference_page(module: str) -> str:
    """The page of a module of the reference: of `valve.py`, `reference/valve.py.html`."""
    return f"reference/{module}.html"


def engine_page(key: str) -> str:
    """The report of a run."""
    return f"engines/{key}.html"


def rule_address(rule: str) -> str:
    """Where a rule of the registry stands."""
    return f"{chapter_page(load_registry().rules[rule].component)}#{rule}"


def line_address(place: str) -> str:
    """Where a line of the reference stands: `valve.py:63`."""
    module, _, number = place.partition(":")
    return f"{reference_page(module)}#L{number}"


def vector_anchor(vector: str) -> str:
    """The anchor of a vector on its page."""
    return re.sub(r"[^A-Za-z0-9_.-]", "-", vector)


def vector_address(vector: str, component: str) -> str:
    """Where a published vector of a component stands."""
    return f"{vectors_page(component)}#{vector_anchor(vector)}"


def played_vector(vector: str) -> str:
    """Where a golden vector is open in the playground."""
    return f"{PLAYGROUND}#vector={vector}"


def policy_address(policy: str) -> str:
    """Where a policy stands."""
    return f"{POLICIES}#{policy}"


def profile_address(profile: str) -> str:
    """Where a profile stands."""
    return f"{POLICIES}#profile-{profile}"


def statement_address(statement: str) -> str:
    """Where a statement of the sources stands."""
    return f"{TRACEABILITY}#{statement}"


def _page_name(component: str) -> str:
    return load_registry().chapters[component].prefix.lower()
