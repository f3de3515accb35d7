"""Results in which every text that an engine or a stranger wrote is hostile."""

from __future__ import annotations

from typing import Any

import msgspec
from report_samples import (
    component_result,
    engine_error,
    known_deviation,
    property_result,
    results,
    rule,
    suspects,
)

from tidegauge.wire.implementation import Implementation
from tidegauge.wire.results import DeviationResult, ItemResult, Results, Suspect, Term

HOSTILE = (
    "\"'><script>alert(1)</script><img src=x onerror=alert(2)>&amp;{{ 7 * 7 }}\x00\x1b[31m\u202e\ud800\ufffe"
    "]]> ```\n~~~\n# heading\n| a | b |\n[click](javascript:alert(3)) ![i](http://x.example/i.png) *b* __c__ `d`"
    " @somebody a@b.example www.evil.example https://evil.example $x$ \r\n--- <!-- \\"
)
"""What an engine can say, for HTML, XML, Markdown and terminals."""

FROM_A_LIST = {"verdict", "outcome", "observes", "layer", "status", "schema", "kind"}


def infected(value: Any, text: str) -> Any:
    """A document in which every free text, and every key called `free`, has been replaced."""
    if isinstance(value, dict):
        return {
            text if key == "free" else key: item if key in FROM_A_LIST else infected(item, text)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [infected(item, text) for item in value]
    return text if isinstance(value, str) else value


def hostile_results(text: str = HOSTILE) -> Results:
    """A run with something in every section of every view, and `text` in every place that takes any text.
    What names a rule, a property, an item or a deviation starts with a number, as names differ."""
    sample = results(
        [
            rule(1),
            rule(2, "fail", affected_by=["x"], also_in=["x"]),
            rule(3, "error"),
            known_deviation(4, policy="p"),
            rule(5, "not-tested", stands_in_the_way="x"),
            rule(6, "not-applicable"),
            rule(7, "fail", flaky="f"),
            rule(8, excludes=["x"], thin=True),
            rule(9, "fail", suspected=True),
            *suspects(10, 11),
            *suspects(12, counterexample=None, suspects=[]),
        ],
        properties=[property_result("fail", 3)],
        errors=[engine_error(), engine_error(kind="crashed")],
        components=[
            component_result(
                9,
                3,
                unexplained="x",
                suspects=[Suspect("x", 0.5)],
                model=[Term(name="x", kind="mutant", rules=["x"])],
            )
        ],
        environment={"free": ""},
        selection={"free": "x"},
        left_out={"free": 3},
        implementation=Implementation(
            name="", version="", capabilities=("",), options={"free": ""}, overshoot="", remark="x"
        ),
        items=[ItemResult(id="", outcome="crashed", scenarios=0, steps=0, duration_s=0, text="x")],
        deviations=[
            DeviationResult(
                name="",
                rules=["x"],
                reason="x",
                link="x",
                status="as-known",
                explanation="x",
                shown=1,
                absent=0,
            )
        ],
        exit_code=1,
    )
    document = infected(msgspec.to_builtins(sample), text)
    for number, found in enumerate(document["rules"]):
        found["id"] = f"{number} {text}"
        if found["counterexample"] is not None:
            found["counterexample"]["scenario"]["component"] = "valve"
    return msgspec.convert(document, Results)
