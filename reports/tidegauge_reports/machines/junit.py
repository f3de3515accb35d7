"""`junit.xml`: a test suite for each component, a test case for each rule.

A failure is a broken rule or property. A suspect is a failure of type `suspect`, whose message names all
suspects of the difference. An error is a rule where the engine gave no answer, a rule that is not tested (by
its type), or a run that did not come to its end. A known deviation is skipped. So a build server that reads
the file alone fails exactly when the run did."""

from collections.abc import Iterable
from datetime import datetime
from math import isfinite
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from tidegauge.wire.results import Results

from ..text import LONGEST_COMMAND, short, shown
from .cases import Case, Outcome, cases_of
from .durations import component_durations
from .run_facts import run_facts

FILE_NAME = "junit.xml"
LONGEST_MESSAGE = 300
LONGEST_TEXT = 6_000

_ELEMENTS: dict[Outcome, str] = {
    "failed": "failure",
    "unknown": "error",
    "broken": "error",
    "skipped": "skipped",
}
_TYPES: dict[Outcome, str] = {
    "failed": "failure",
    "unknown": "not-tested",
    "broken": "error",
    "skipped": "skipped",
}


def write(results: Results, folder: Path) -> Path:
    """Write `junit.xml` into `folder`, which is made if need be; the path of the file."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / FILE_NAME
    path.write_bytes(render(results))
    return path


def render(results: Results) -> bytes:
    """The document, in UTF-8. The same results give the same bytes."""
    cases = cases_of(results)
    implementation = results.implementation
    name = f"{implementation.name} {implementation.version}, profile {results.profile}"
    root = Element("testsuites", _line(name=name), time=_seconds(results.duration_s), **_counts(cases))
    durations = component_durations(results, {case.component for case in cases})
    for component in dict.fromkeys(case.component for case in cases):
        _add_suite(
            root, component, [case for case in cases if case.component == component], durations, results
        )
    _add_properties(root[-1], results)
    indent(root)
    return bytes(tostring(root, encoding="utf-8", xml_declaration=True)) + b"\n"


def _add_suite(
    root: Element, component: str, cases: list[Case], durations: dict[str, float], results: Results
) -> None:
    counts = _counts(cases) | {"skipped": str(sum(case.outcome == "skipped" for case in cases))}
    suite = SubElement(
        root, "testsuite", _line(name=component), time=_seconds(durations[component]), **counts
    )
    if started := _timestamp(results.started):
        suite.set("timestamp", started)
    for case in cases:
        _add_case(suite, case)


def _add_case(suite: Element, case: Case) -> None:
    found = SubElement(
        suite, "testcase", _line(classname=case.component, name=case.name), time=_seconds(case.duration_s)
    )
    if case.outcome == "passed":
        return
    element = SubElement(found, _ELEMENTS[case.outcome], _line(message=case.summary), type=_type(case))
    if case.outcome != "skipped":
        element.text = shown(case.text, LONGEST_TEXT + (LONGEST_COMMAND if case.rule is not None else 0))


def _type(case: Case) -> str:
    return "suspect" if case.suspect else _TYPES[case.outcome]


def _add_properties(suite: Element, results: Results) -> None:
    """Who was put through what."""
    properties = Element("properties")
    suite.insert(0, properties)
    told = {"exit_code": str(results.exit_code), "tidegauge": results.tidegauge}
    for name, value in {**run_facts(results), **told}.items():
        SubElement(properties, "property", _line(name=name, value=value))


def _counts(cases: Iterable[Case]) -> dict[str, str]:
    elements = [_ELEMENTS.get(case.outcome, "passed") for case in cases]
    return {
        "tests": str(len(elements)),
        "failures": str(elements.count("failure")),
        "errors": str(elements.count("error")),
    }


def _line(**attributes: str) -> dict[str, str]:
    return {name: short(value, LONGEST_MESSAGE) for name, value in attributes.items()}


def _seconds(duration: float) -> str:
    return f"{duration if isfinite(duration) and duration > 0 else 0:.3f}"


def _timestamp(started: str) -> str:
    """ISO 8601, or nothing if it is no time."""
    try:
        return datetime.fromisoformat(started).isoformat()
    except ValueError:
        return ""
