"""Runs as a chooser of engines sees them: the product, the profile of the run, and what the run comes to.

An engine that conforms to a profile of its own is kept apart from one that conforms to `core`, which all
engines share.
"""

from functools import cache
from importlib.resources import files
from tomllib import loads

from tidegauge.wire.implementation import Implementation
from tidegauge.wire.results import Results
from tidegauge.words.conclusion import Conclusion

from .text import short

OWN = "own"
"""The kind of the conclusion of an engine that conforms to its own profile."""

_CORE = "core"
_LONGEST_NAME = 60
_LONGEST_VERSION = 40


def is_core(results: Results) -> bool:
    """Return whether the run is judged against the profile `core`."""
    return results.profile == _CORE


def reading(results: Results) -> str:
    """Return the profile of the run in words."""
    return "profile core" if is_core(results) else f"own profile {short(results.profile, 40)}"


def kind_of_reading(results: Results, conclusion: Conclusion) -> str:
    """Return the kind of the conclusion, or `OWN`."""
    return OWN if conclusion.kind == "conforms" and not is_core(results) else conclusion.kind


def headline_of_reading(results: Results, conclusion: Conclusion) -> str:
    """Return the headline of the run. If the engine conforms to its own profile, it names the profile."""
    headline, to = conclusion.headline, f"Conforms to {results.profile}"
    if kind_of_reading(results, conclusion) != OWN or headline.startswith(to):
        return headline
    return short(headline.replace("Conforms", to, 1), 300)


@cache
def _headings() -> dict[str, str]:
    """Return the headings of `products.toml`, by the name of the implementation."""
    return loads((files(__package__) / "products.toml").read_text(encoding="utf-8"))


def product_name(implementation: Implementation) -> str:
    """Return the product with its version, such as `Apache Flink 2.3.0`."""
    name = short(implementation.name, _LONGEST_NAME) or "unnamed"
    version = short(implementation.version, _LONGEST_VERSION)
    heading = _headings().get(name)
    if heading is None:
        return f"{name} {version}".strip()
    return heading.format(version=version, platform=version.rpartition(" on ")[2])
