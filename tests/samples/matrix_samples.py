"""Sample engines side by side, for the tests of the matrix."""

from __future__ import annotations

from typing import Any

from report_samples import known_deviation, results, rule

from tidegauge.wire.implementation import Implementation
from tidegauge.wire.results import DeviationResult, RuleResult, Verdict
from tidegauge_reports.matrix.columns import Run
from tidegauge_reports.matrix.table import Matrix, build_matrix


def engine(name: str = "sample-engine", version: str = "4.2", **fields: Any) -> Implementation:
    """An implementation."""
    return Implementation(name=name, version=version, capabilities=("valve",), **fields)


def run(*rules: RuleResult, **fields: Any) -> Run:
    """A run with these rules."""
    return Run(results(list(rules), **fields))


def four() -> Matrix:
    """Four engines: a right one, a wrong one, one with a known deviation and another profile, and a part."""
    verdicts: list[Verdict] = ["pass", "fail", "not-tested", "error"]
    deviation = DeviationResult(
        name="mutant:valve-no-flush",
        rules=["VALVE-2"],
        reason="until version 3",
        link="https://example.org/7",
        status="as-known",
        explanation="",
        shown=3,
        absent=0,
    )
    coordinator = [
        rule(1, id="ALIGN-1", component="coordinator"),
        rule(2, id="ALIGN-2", component="coordinator"),
    ]
    unclaimed = [rule(1, "not-applicable", id=one.id, component="coordinator") for one in coordinator]
    return build_matrix(
        [
            run(*coordinator, *(rule(number) for number in range(1, 5)), implementation=engine("right")),
            run(
                *unclaimed,
                *(rule(number, verdict) for number, verdict in enumerate(verdicts, start=1)),
                implementation=engine("wrong"),
            ),
            run(
                *coordinator,
                rule(1, policy="by policy `x` = y; core says z"),
                known_deviation(2),
                rule(3),
                rule(4),
                implementation=engine("known"),
                profile="flink-2.3",
                deviations=[deviation],
            ),
            run(rule(2), implementation=engine("part"), selection={"components": "", "rules": "VALVE-2"}),
        ]
    )
