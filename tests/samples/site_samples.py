"""Sample results for the tests of the site."""

from __future__ import annotations

from typing import Any

import msgspec
from report_samples import known_deviation, results, rule

from tidegauge.judging.traceability import decided_in
from tidegauge.wire.results import Results


def given() -> Results:
    """A run with a failure, a known deviation, a stale line, and a rule that the specification does not have."""
    return results(
        [
            rule(
                1,
                excludes=["valve-no-flush", "of another version"],
                reference=["valve.py:1", *decided_in("VALVE-1")],
                vectors=["valve/gone"],
            ),
            rule(2, "fail"),
            known_deviation(3, "known for long"),
            rule(4, policy="the profile says so"),
            rule(99, id="OLD-1"),
        ]
    )


def infected(value: Any, text: str) -> Any:
    """A document in which every free text has been replaced; rules keep their id, so that they are shown."""
    fixed = {"verdict", "outcome", "observes", "layer", "id"}
    if isinstance(value, dict):
        return {key: item if key in fixed else infected(item, text) for key, item in value.items()}
    if isinstance(value, list):
        return [infected(item, text) for item in value]
    return text if isinstance(value, str) else value


def hostile(text: str) -> Results:
    """A run with `text` in every place that takes any text, also as the id of a rule."""
    document = infected(msgspec.to_builtins(given()), text)
    document["rules"].append({**document["rules"][0], "id": text})
    for found in document["rules"]:
        if found["counterexample"] is not None:
            found["counterexample"]["scenario"]["component"] = "valve"
    return msgspec.convert(document, Results)
