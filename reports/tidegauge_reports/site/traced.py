"""Traceability: from each statement of the sources to its rules, and from each rule to the reference, the
vectors, the mutants, and how often runs have exercised it. Lines, vectors and counts are those that
runs have recorded; where a run and the installed specification differ, the row says so."""

from collections.abc import Sequence
from dataclasses import dataclass

from tidegauge.judging.traceability import DOCUMENTS, broken_by, decided_in, statement_order, vectors_of
from tidegauge.mutants.known_bugs import KnownBug, known_bug
from tidegauge.mutants.mutant import Mutant
from tidegauge.vectors.published import Vector
from tidegauge.words.verdicts import SIGNS
from tidegauge_spec import Rule, load_registry, load_statements

from ..text import short
from .engines import Engine, Exercise

MOST = 50
"""How many lines, vectors or unknown rules of a run are listed at most."""

_LONGEST_NAME = 80


@dataclass(frozen=True)
class TracedStatement:
    """A numbered statement or an issue id, the document it is from, the known bug that an issue is, and the
    rules that name it. `text` is the statement in short; `why_not` says why no rule states it. `group` sorts
    the documents."""

    name: str
    text: str
    why_not: str
    document: str
    group: str
    bug: KnownBug | None
    rules: tuple[Rule, ...]


@dataclass(frozen=True)
class Recorded:
    """A line or vector that runs recorded for a rule; `current`: the installed one has it, too."""

    name: str
    current: bool


@dataclass(frozen=True)
class TracedRule:
    """A row: `rule` is None if no rule of the installed specification has this `name`. `exercised` says of
    each run how often (None: it does not have the rule), and its reason where never."""

    name: str
    rule: Rule | None
    lines: tuple[Recorded, ...]
    vectors: tuple[Recorded, ...]
    left_out: int
    wrong_engines: tuple[Mutant, ...]
    exercised: tuple[tuple[Exercise | None, str], ...]

    @property
    def never_exercised(self) -> bool:
        """Whether no run has exercised it."""
        return all(exercise is None or never for exercise, never in self.exercised)


@dataclass(frozen=True)
class Traceability:
    """The two tables, the rules that runs name and the specification does not have, and how many more of
    those there are."""

    statements: tuple[TracedStatement, ...]
    rules: tuple[TracedRule, ...]
    unknown: tuple[TracedRule, ...]
    more_unknown: int
    vectors: dict[str, Vector]


def trace(engines: Sequence[Engine]) -> Traceability:
    """Trace every rule of the installed specification and of the runs of these engines."""
    registry = load_registry().rules
    names = dict.fromkeys(
        rule.id for engine in engines for rule in engine.results.rules if rule.id not in registry
    )
    listed = list(names)[:MOST]
    return Traceability(
        statements=traced_statements(),
        rules=tuple(_traced(rule.id, rule, engines) for rule in registry.values()),
        unknown=tuple(_traced(name, None, engines) for name in listed),
        more_unknown=len(names) - len(listed),
        vectors={vector.id: vector for rule in registry for vector in vectors_of(rule)},
    )


def traced_statements() -> tuple[TracedStatement, ...]:
    """What states behaviour, and all that the rules name as their sources, in order, each with its rules."""
    statements = load_statements()
    rules: dict[str, list[Rule]] = {number: [] for number, one in statements.items() if one.behaviour}
    for rule in load_registry().rules.values():
        for source in rule.sources:
            rules.setdefault(source, []).append(rule)
    found = []
    for name in sorted(rules, key=statement_order):
        one = statements.get(name)
        text, why_not = (one.text, one.why_not) if one else ("", "")
        found.append(
            TracedStatement(name, text, why_not, *_document(name), known_bug(name), tuple(rules[name]))
        )
    return tuple(found)


def _document(name: str) -> tuple[str, str]:
    return ("Issues of engines", "~") if "-" in name else (DOCUMENTS[name[0]], name[0])


def _traced(name: str, rule: Rule | None, engines: Sequence[Engine]) -> TracedRule:
    results = [engine.result(name) for engine in engines]
    lines = _recorded([result.reference for result in results if result], set(decided_in(name)))
    vectors = _recorded(
        [result.vectors for result in results if result], {vector.id for vector in vectors_of(name)}
    )
    return TracedRule(
        name=short(name, _LONGEST_NAME),
        rule=rule,
        lines=lines[:MOST],
        vectors=vectors[:MOST],
        left_out=len(lines[MOST:]) + len(vectors[MOST:]),
        wrong_engines=tuple(broken_by(name)),
        exercised=tuple(_exercised(name, engine) for engine in engines),
    )


def _recorded(given: Sequence[Sequence[str]], current: set[str]) -> tuple[Recorded, ...]:
    names = dict.fromkeys(name for names in given for name in names)
    return tuple(Recorded(name, name in current) for name in names)


def _exercised(name: str, engine: Engine) -> tuple[Exercise | None, str]:
    result, exercise = engine.result(name), engine.exercise(name)
    if result is None or exercise is None or exercise.scenarios or exercise.checks:
        return exercise, ""
    return exercise, result.reason or SIGNS[result.verdict][1]
