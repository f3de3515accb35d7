"""`tidegauge profile`: write the choices of an engine as a profile."""

from pathlib import Path
from typing import Annotated

import typer

from tidegauge_spec import read_policies

from ..judging.reference.profile_file import add_to_file
from ..judging.reference.profiles import check_own_profile
from ..run.journal import JournalReader, Started
from ..wire.implementation import PROFILE_FILE
from ..wire.own_profile import Choice, OwnProfile, ReasonedShape
from ..wire.results import FILE_NAME as RESULTS
from ..wire.results import Results, Term, read_results
from ..wire.scenario import BadInput
from ..wire.shapes import component_of_shape
from ..words.diagnosis import term_name
from ..words.numbers import counted, listed
from .console import OUT, complains
from .terminal_text import inline

_MOST_RULES = 7


@complains
def profile(
    source: Annotated[Path, typer.Argument(help="Folder that a run left.")] = Path("tidegauge-results"),
    name: Annotated[str, typer.Option(metavar="NAME", help="The name of the profile.")] = "",
    to: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The file of the profile; default: NAME.toml.")
    ] = None,
) -> None:
    """Write the choices of an engine as a profile: the policy values in the diagnosis of a run.

    A person adds the reason for each choice. `tidegauge run --profile FILE` then judges all other behaviour
    exactly. Mutants and small changes are defects and are never written. Existing choices are kept.
    Exit code 0: the file has all choices of the diagnosis.
    1: the diagnosis has none; nothing is written.
    2: bad input.
    """
    results = read_results(source if source.suffix == ".json" else source / RESULTS)
    run_under = results.own_profile
    if not name and run_under is None:
        raise BadInput("give the profile a name with --name")
    written = OwnProfile(
        name or (run_under.name if run_under is not None else ""),
        run_under.base if run_under is not None else results.profile,
        _choices(results),
        _shapes(results, source),
    )
    check_own_profile(written)
    _print_defects(results)
    if not written.choices and not written.shapes:
        OUT.print("No policy value is in the diagnosis: there is no choice to write.")
        raise typer.Exit(1)
    path = to or Path(f"{written.name}{PROFILE_FILE}")
    _print_new(path, add_to_file(path, written))


def _choices(results: Results) -> tuple[Choice, ...]:
    """Return the choices of the profile that the run was measured against, then the policy values in the
    diagnosis."""
    own = results.own_profile
    base = own.base if own is not None else results.profile
    chosen = {choice.policy: choice for choice in (own.choices if own is not None else ())}
    values: dict[str, set[str]] = {}
    for term in _terms(results):
        for policy, value in _policy_values(term):
            values.setdefault(policy, set()).add(value)
    for policy, several in values.items():
        value = min(several)
        if len(several) > 1:
            both = " and ".join(sorted(several))
            OUT.print(f"not written: {policy} is {both} in different components", soft_wrap=True)
        elif policy in chosen:
            expected = chosen[policy].value
            OUT.print(f"{policy}: the engine behaves as {value}, the profile says {expected}", soft_wrap=True)
        elif value != read_policies()[policy].profiles[base]:
            chosen[policy] = Choice(policy, value, "")
    return tuple(chosen.values())


def _shapes(results: Results, source: Path) -> tuple[ReasonedShape, ...]:
    """Return the shapes of the run's profile, and the other shapes within which the run drew its scenarios.

    Components whose shape the adapter declares are excluded from the latter.
    """
    own = results.own_profile
    written = {component_of_shape(each.features): each for each in (own.shapes if own is not None else ())}
    declared = {component_of_shape(shape) for shape in results.implementation.shapes}
    events = JournalReader(source).new_events() if source.is_dir() else []
    drawn = next((event.drawn for event in events if isinstance(event, Started)), ())
    for shape in drawn:
        if component_of_shape(shape) not in declared:
            written.setdefault(component_of_shape(shape), ReasonedShape(shape, ""))
    return tuple(written.values())


def _terms(results: Results) -> list[Term]:
    return [term for component in results.components for term in component.model]


def _policy_values(term: Term) -> list[tuple[str, str]]:
    """Return the policy value that a term names, or the first one that behaves like the term, if any."""
    names = [term.name] if term.kind == "policy" else term.ties
    pairs = [name.partition("=") for name in names]
    return [(policy, value) for policy, _, value in pairs if policy in read_policies()][:1]


def _print_defects(results: Results) -> None:
    """Print the known defects in the diagnosis, and how many failing scenarios it leaves unexplained."""
    for term in _terms(results):
        if term.kind == "mutant":
            rules = f" ({listed(term.rules, _MOST_RULES)})" if term.rules else ""
            alike = [f"{policy} = {value}" for policy, value in _policy_values(term)]
            remedy = f"; keep {alike[0]} in the file only if it is a choice" if alike else ", not written"
            OUT.print(f"{inline(term_name(term))} is a known defect{rules}{remedy}", soft_wrap=True)
    for component in results.components:
        if left := component.examined - component.explained:
            scenarios = counted(left, "failing scenario")
            OUT.print(f"{component.component}: no choice explains {scenarios}", soft_wrap=True)


def _print_new(path: Path, new: OwnProfile) -> None:
    """Print the entries that were added to the file, and the next step."""
    policies = read_policies()
    for choice in new.choices:
        base = policies[choice.policy].profiles[new.base]
        OUT.print(f"{choice.policy} = {choice.value} ({new.base}: {base})", soft_wrap=True)
    for shape in new.shapes:
        component = component_of_shape(shape.features)
        OUT.print(f"shape of {component}, as the adapter expresses it", soft_wrap=True)
    file, number = inline(str(path)), len(new.choices) + len(new.shapes)
    if number:
        added = counted(number, "entry", "entries")
        next_step = f"write the reason of each, then run with --profile {file}"
        OUT.print(f"{file}: {added} added; {next_step}", soft_wrap=True)
    else:
        OUT.print(f"{file} has these choices already", soft_wrap=True)
