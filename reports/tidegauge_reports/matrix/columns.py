"""The columns of a matrix: which run each shows, under a name that no other has."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from tidegauge.wire.results import Results
from tidegauge.words.conclusion import Conclusion, conclude
from tidegauge.words.numbers import counted
from tidegauge.words.own_profile import choices_words
from tidegauge.words.run import selection_words
from tidegauge.words.shapes import shapes_line

from ..readings import headline_of_reading, kind_of_reading, product_name, reading
from ..text import short

_LONGEST_NAME = 60
_LONGEST_VERSION = 40


@dataclass(frozen=True)
class Run:
    """A run to show. `report` is the address of its own report, seen from the matrix; empty: it has none."""

    results: Results
    report: str = ""


@dataclass(frozen=True)
class Column:
    """A run and how it is called. `distinction` is what tells it from others of the same name, version and
    profile; empty if there are none."""

    name: str
    version: str
    profile: str
    distinction: str
    run: Run
    conclusion: Conclusion

    @property
    def label(self) -> str:
        """All of its name, on one line."""
        return " · ".join(
            filter(None, [f"{self.name} {self.version}".strip(), self.profile, self.distinction])
        )

    @property
    def product(self) -> str:
        """The product with its version, such as `Apache Flink 2.3.0`."""
        return product_name(self.run.results.implementation)

    @property
    def reading(self) -> str:
        """The profile of the run in words."""
        return reading(self.run.results)

    @property
    def kind(self) -> str:
        """The kind of the conclusion; `own` if the engine conforms to its own profile."""
        return kind_of_reading(self.run.results, self.conclusion)

    @property
    def headline(self) -> str:
        """The headline of the run. If the engine conforms to its own profile, it names the profile."""
        return headline_of_reading(self.run.results, self.conclusion)

    @property
    def shape(self) -> str:
        """The declared shapes of the engine in words; empty if it declares none."""
        return short(shapes_line(self.run.results.implementation), 240)

    @property
    def choices(self) -> str:
        """How the profile of the engine's author differs from a shipped one; empty if the engine was measured
        against a shipped one."""
        own = self.run.results.own_profile
        return choices_words(own) if own is not None else ""

    @property
    def part(self) -> str:
        """What the run was narrowed to, in words; empty if to nothing."""
        return short(selection_words(self.run.results), 120)


def columns_of(runs: Sequence[Run]) -> list[Column]:
    """A column for each run, in their order, all called differently."""
    names = [_name(run.results) for run in runs]
    groups: dict[tuple[str, str, str], list[int]] = {}
    for place, name in enumerate(names):
        groups.setdefault(name, []).append(place)
    distinctions: dict[int, str] = {}
    for places in groups.values():
        found = _distinctions([runs[place].results for place in places])
        distinctions |= dict(zip(places, found, strict=True))
    return [
        Column(*name, distinctions[place], run, conclude(run.results))
        for place, (name, run) in enumerate(zip(names, runs, strict=True))
    ]


def _name(results: Results) -> tuple[str, str, str]:
    implementation = results.implementation
    name = short(implementation.name, _LONGEST_NAME) or "an engine without a name"
    return name, short(implementation.version, _LONGEST_VERSION), short(results.profile, _LONGEST_VERSION)


_FACETS: tuple[Callable[[Results], str], ...] = (
    lambda results: ", ".join(f"{key}={value}" for key, value in results.implementation.options.items()),
    lambda results: results.implementation.layer,
    lambda results: f"spec {results.spec}",
    lambda results: f"budget {results.budget}",
    lambda results: f"seed {results.seed}",
    lambda results: counted(len(results.deviations), "known deviation") if results.deviations else "",
    lambda results: results.started[:19],
)


def _distinctions(group: Sequence[Results]) -> list[str]:
    """What tells runs of one name apart: the first facets that do, and a number where none does."""
    told: list[tuple[str, ...]] = [() for _ in group]
    for facet in _FACETS:
        if len(set(told)) == len(group):
            break
        longer = [(*said, short(facet(results), 40)) for said, results in zip(told, group, strict=True)]
        if len(set(longer)) > len(set(told)):
            told = longer
    return [", ".join(filter(None, said)) for said in _numbered(told)]


def _numbered(told: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    seen: dict[tuple[str, ...], int] = {}
    numbered = []
    for said in told:
        seen[said] = seen.get(said, 0) + 1
        numbered.append(said if seen[said] == 1 else (*said, f"run {seen[said]}"))
    return numbered
