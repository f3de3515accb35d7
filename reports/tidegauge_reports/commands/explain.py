"""`tidegauge explain`: a rule with all that stands behind it, in a terminal."""

from collections.abc import Iterable
from typing import Annotated

import typer
from rich.padding import Padding

from tidegauge.commands.console import COLOURS, OUT, complains
from tidegauge.commands.terminal_text import inline
from tidegauge.components.registry import load_mutants
from tidegauge.detection.mutant_diagnosis import can_be_diagnosed, diagnosis_of
from tidegauge.judging.traceability import DOCUMENTS, rules_of_statement
from tidegauge.mutants.known_bugs import KnownBug, ids_of_known_bugs, known_bug
from tidegauge.mutants.mutant import Mutant
from tidegauge.wire.results import ACCUSED
from tidegauge.wire.unknown_names import spelled
from tidegauge.words.diagnosis import NOT_OF_JOBS, OF_A_MUTANT, model_words, term_name, term_words
from tidegauge_spec import PolicyText, Rule, load_registry, load_statements, read_policies, read_profiles

from ..site.dossier import Dossier, Finding, dossier
from ..site.engines import Engine, shipped_engines


@complains
def explain(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME|WORDS...",
            help="A rule, VALVE-3; a statement, E46; a known bug, FLINK-40475a; a mutant; a policy. "
            "For other words, such as late data dropped, the results of the site's search are listed.",
        ),
    ],
) -> None:
    """Say what a rule demands, why, what to check when an engine fails it, and what stands behind it: code,
    scenarios, mutants, known bugs, verdicts; or which rules come from a statement of the sources; or how an
    engine with a known bug, or like a mutant, is diagnosed; or what a policy or a profile chooses. For
    other words, list the results of the site's search."""
    written = " ".join(words)
    name = spelled(written.removeprefix("mutant:"), _known_names())
    if name is None:
        from .found_by_words import print_found  # building the index takes a second; names do not need it

        print_found(written, _known_names())
        return
    if name in read_policies() or name in read_profiles():
        _print_policy_or_profile(name)
        return
    rule = load_registry().rules.get(name)
    engines = shipped_engines()
    if rule is not None:
        print_dossier(dossier(rule, engines))
        return
    mutant = load_mutants().get(name)
    if mutant is not None:
        _print_mutant(mutant)
        return
    found = rules_of_statement(name)
    bug = known_bug(name)
    _print_statement(name)
    for rule in found:
        _print_title(rule)
        OUT.print(inline(rule.sentence))
        OUT.print(f"{', '.join(_in_a_word(engine, rule) for engine in engines)}\n")
    for mutant_name in bug.mutants if bug is not None else ():
        _print_mutant(load_mutants()[mutant_name])


def _known_names() -> list[str]:
    rules = load_registry().rules
    sources = {source for rule in rules.values() for source in rule.sources}
    chosen = [*read_policies(), *read_profiles()]
    return [*rules, *load_statements(), *load_mutants(), *ids_of_known_bugs(), *sources, *chosen]


def _print_mutant(mutant: Mutant) -> None:
    """What the mutant does, and what a run says of an engine that behaves alike."""
    OUT.print(f"[bold]mutant:{mutant.name}[/] ({mutant.component}) {inline(mutant.summary)}")
    OUT.print(f"It breaks {', '.join(mutant.rules) or 'every rule'}.")
    if not can_be_diagnosed(mutant):
        OUT.print(f"{NOT_OF_JOBS}\n")
        return
    result, scenarios = diagnosis_of(mutant)
    OUT.print(f"\n[bold]{OF_A_MUTANT}[/]")
    _print_indented(2, inline(model_words(result)))
    for term in result.model:
        _print_indented(2, f"[bold]{inline(term_name(term))}[/]: {inline(term_words(term))}")
        if term.name in scenarios:
            _print_indented(4, inline(scenarios[term.name]))
    OUT.print()


def print_dossier(told: Dossier) -> None:
    """Print all that is known about a rule."""
    rule = told.rule
    _print_title(rule)
    OUT.print(f"\n{inline(rule.sentence)}\n")
    OUT.print(f"[bold]Intent[/] {inline(rule.intent)}\n")
    OUT.print(f"[bold]If an engine fails this, check[/] {inline(rule.check)}\n")
    for policy in told.policies:
        OUT.print(f"[bold]Policy[/] {_policy(policy)}\n")
    if rule.needs:
        OUT.print(f"[bold]Needs[/] the capability {' or '.join(rule.needs)}\n")
    OUT.print(f"[bold]Source[/] {', '.join(rule.sources)}   [bold]Since[/] {rule.since}")
    OUT.print(f"[bold]Checked by[/] {inline(', '.join(rule.checked_by))}")
    OUT.print(f"[bold]Text[/] {rule.file}:{rule.line}")
    OUT.print(f"[bold]Reference[/] {', '.join(told.reference) or inline(told.without_reference)}")
    OUT.print(f"[bold]Vectors[/] {inline(', '.join(vector.id for vector in told.vectors)) or 'none'}")
    _print_wrong_engines(told)
    _print_verdicts(told.findings)


def _print_title(rule: Rule) -> None:
    OUT.print(f"[bold]{rule.id}[/] ({rule.level}, {rule.component}) [bold]{inline(rule.title)}[/]")


def _print_statement(name: str) -> None:
    bug = known_bug(name)
    if name[:1] in DOCUMENTS and name[1:].isdecimal():
        OUT.print(f"[bold]{name}[/] of {DOCUMENTS[name[0]]}: {inline(load_statements()[name].text)}\n")
        if not load_statements()[name].behaviour:
            OUT.print("It says nothing about what an engine does.")
        if load_statements()[name].why_not:
            OUT.print(f"No rule states it: {inline(load_statements()[name].why_not)}")
    elif bug is not None:
        OUT.print(f"[bold]{name}[/] is a known bug: {_bug(bug)}\n")


def _print_policy_or_profile(name: str) -> None:
    if name in read_policies():
        _print_policy(read_policies()[name])
    else:
        _print_profile(name)


def _print_policy(policy: PolicyText) -> None:
    """Print the values of a policy, the profiles that choose them, and the rules that it changes."""
    OUT.print(f"[bold]{policy.name}[/] is a policy: {inline(policy.meaning)}\n")
    for value in policy.values:
        profiles = [name for name, chosen in policy.profiles.items() if chosen == value]
        OUT.print(f"  {value}: {', '.join(profiles) or 'no shipped profile'}")
    OUT.print(f"\n[bold]Source[/] {inline(policy.source)}\n")
    for rule in load_registry().rules.values():
        if policy.name in rule.policies:
            _print_title(rule)
    OUT.print("\nAn engine that chooses another value says so in a profile of its own: `tidegauge profile`.")


def _print_profile(name: str) -> None:
    """Print the meaning of a profile and where it differs from core."""
    OUT.print(f"[bold]{name}[/] is a profile: {inline(read_profiles()[name])}\n")
    for policy in read_policies().values():
        value, core = policy.profiles[name], policy.profiles["core"]
        if value != core:
            OUT.print(f"  {policy.name} = {value} (core: {core})")


def _policy(policy: PolicyText) -> str:
    values = ", ".join(f"{profile} = {value}" for profile, value in policy.profiles.items())
    return f"{policy.name}: {inline(policy.meaning)} {values}"


def _bug(bug: KnownBug) -> str:
    return f"{bug.id} ({inline(bug.system)}): {inline(bug.title)}. {inline(' '.join(bug.links))}"


def _print_wrong_engines(told: Dossier) -> None:
    OUT.print(f"\n[bold]Mutants that break it[/]{'' if told.wrong_engines else ' none'}")
    for wrong in told.wrong_engines:
        _print_indented(2, f"[bold]mutant:{wrong.mutant.name}[/] {inline(wrong.mutant.summary)}")
        for bug in wrong.bugs:
            _print_indented(4, f"known bug {_bug(bug)}")
    if told.other_bugs:
        OUT.print("\n[bold]Other known bugs that it is about[/]")
        for bug in told.other_bugs:
            _print_indented(2, _bug(bug))


def _print_indented(columns: int, text: str) -> None:
    OUT.print(Padding(text, (0, 0, 0, columns)))


def _print_verdicts(findings: Iterable[Finding]) -> None:
    OUT.print("\n[bold]Verdicts of the shipped engines[/]")
    for finding in findings:
        run, result = finding.engine.results, finding.result
        made = f"{finding.engine.date}, version {run.tidegauge}, budget {run.budget}, profile {run.profile}"
        _print_indented(2, f"{inline(finding.engine.name)}: {_verdict(finding)}, [dim]{inline(made)}[/]")
        if result is not None and finding.exercise and result.verdict in ("pass", *ACCUSED):
            words = finding.exercise.words
            exercised = "never exercised" if words == "never" else f"exercised in {words}"
            _print_indented(4, inline(f"{result.layer}, {exercised}"))
        if finding.standing.reason:
            _print_indented(4, inline(finding.standing.reason))


def _verdict(finding: Finding) -> str:
    at = finding.standing
    return f"[{COLOURS[at.kind]}]{at.words}[/]"


def _in_a_word(engine: Engine, rule: Rule) -> str:
    at = engine.standing(rule.id)
    return f"{inline(engine.name)}: [{COLOURS[at.kind]}]{at.words}[/]"
