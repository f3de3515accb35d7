"""Sample runs with suspects, for the tests of every report."""

from __future__ import annotations

from report_samples import component_result, missing_minimum, results, rule, suspects

from tidegauge.wire.results import Suspect

UNEXPLAINED = component_result(9, unexplained="valve-1", suspects=[Suspect("VALVE-2", 0.6)])
RUN = results(
    [
        rule(1),
        *suspects(2, 9),
        rule(7, "fail"),
        rule(8, "not-tested"),
        rule(1, id="CLOCK-1", component="clock"),
    ],
    components=[UNEXPLAINED],
)
"""One of VALVE-2 and VALVE-9 is broken, and VALVE-7 fails."""

HEADING = "One of these rules is broken: VALVE-2, VALVE-9"
SAYS_LESS = "says less than elsewhere: the rule is not implicated by the unexplained differences."
BY_PROPERTY = "one of VALVE-2, VALVE-9 is broken: the property P is violated"
UNTRIED = rule(
    3,
    "suspect",
    reason="the engine behaves as valve-x as far as it ran",
    suspects=[Suspect("VALVE-3", 1.0)],
    counterexample=missing_minimum(),
)
"""A suspect because of a model that could not be tried: reports show no plausibility."""


def between(text: str, start: str, end: str) -> str:
    """Return the part of a text between two of its passages."""
    return text.partition(start)[2].partition(end)[0]
