"""`tidegauge explain` with words that are not a known name: prints the results of the site's search."""

import re
from collections.abc import Sequence

from rich.padding import Padding

from tidegauge.commands.console import OUT
from tidegauge.commands.terminal_text import inline
from tidegauge.mutants.known_bugs import ids_of_known_bugs
from tidegauge.wire.scenario import BadInput
from tidegauge.wire.unknown_names import closest, unknown
from tidegauge_spec import load_registry

from ..site.engines import shipped_engines
from ..site.search.entries import entries
from ..site.search.index import build_index
from ..site.search.query import find, unknown_id
from ..site.search.terms import is_id

_LISTED = (
    "`tidegauge rules` lists the rules, `tidegauge mutants` the mutants, `tidegauge site` all known bugs"
)
_STATEMENT = re.compile(r"[A-E]\d+")
_NAME = re.compile(r"\S+[-_]\S+")
"""A word that looks like the name of a rule, a bug, a mutant or a policy."""

_MISSPELLED = 0.85
"""Minimum similarity at which a name is treated as a misspelled known name (1: equal)."""

_MOST = 8
"""Maximum number of entries to print."""


def print_found(written: str, names: Sequence[str]) -> None:
    """Print the results of the search, best first.

    Args:
        written: the words that the user typed; not a known name.
        names: all known names.

    Raises:
        BadInput: if nothing is found, or if the only word looks like a name: that of
            an issue that is not among the known bugs, of a rule that does not exist, or a misspelled name.
    """
    complaint = unknown("rule, statement, bug, mutant or policy", written, names, _LISTED)
    if is_id(written) and _prefix(written) in _known_prefixes():
        raise BadInput(f"{unknown_id(written)[:-1]}; {_LISTED}")
    is_misspelled = _NAME.fullmatch(written) and closest(written, names, _MISSPELLED)
    if is_misspelled or _STATEMENT.fullmatch(written):
        raise BadInput(complaint)
    answer = find(build_index(entries(shipped_engines())), written)
    if not answer.entries:
        raise BadInput(complaint)
    for note in answer.notes:
        OUT.print(inline(note))
    if answer.corrected:
        corrected = inline(repr(answer.corrected))
        OUT.print(f"Nothing contains {inline(repr(written))}; results for {corrected}:\n")
    else:
        OUT.print(f"Nothing is named {inline(repr(written))}. Search results:\n")
    for entry in answer.entries[:_MOST]:
        OUT.print(f"[bold]{inline(entry.title)}[/] ({entry.kind}, {inline(entry.address)})")
        OUT.print(Padding(inline(entry.shown_summary), (0, 0, 0, 2)))


def _prefix(id: str) -> str:
    return id.upper().partition("-")[0]


def _known_prefixes() -> set[str]:
    """Return the prefixes of rules and of known bugs, such as VALVE and FLINK."""
    chapters = {chapter.prefix for chapter in load_registry().chapters.values()}
    return chapters | {_prefix(bug) for bug in ids_of_known_bugs()}
