"""Sample results for the tests of reports: a run on a valve, with as many failures as a test wants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tidegauge.wire.implementation import Implementation
from tidegauge.wire.results import (
    ACCUSED,
    SCHEMA,
    ComponentResult,
    Counterexample,
    EngineError,
    ItemResult,
    JobPicture,
    PropertyResult,
    Results,
    RuleResult,
    StepRecord,
    SubtaskPicture,
    Suspect,
    Term,
    Verdict,
    counts_of,
    kind_of,
)

Wire = dict[str, Any]
Record = tuple[Wire, list[Wire] | None, list[Wire] | None]


def watermark(channel: int, timestamp: int | str) -> Wire:
    """A watermark arrives on a channel."""
    return {"step": "watermark", "channel": channel, "timestamp": timestamp}


def idle(channel: int) -> Wire:
    """A channel becomes idle."""
    return {"step": "idle", "channel": channel}


def active(channel: int) -> Wire:
    """A channel becomes active."""
    return {"step": "active", "channel": channel}


SNAPSHOT: Wire = {"step": "snapshot"}
RESTORE: Wire = {"step": "restore"}
IDLE: Wire = {"output": "idle", "to": "downstream"}
ACTIVE: Wire = {"output": "active", "to": "downstream"}
REFUSED: Wire = {"output": "error", "error": "illegal-argument", "to": "caller"}


def sent(timestamp: int | str) -> Wire:
    """A watermark comes out."""
    return {"output": "watermark", "timestamp": timestamp, "to": "downstream"}


def counterexample(
    records: Sequence[Record], diverges_at: int = -1, channels: int = 2, **fields: Any
) -> Counterexample:
    """A counterexample of these steps, each with the outputs expected and got (default: at the last)."""
    wire = {
        "component": "valve",
        "id": "valve/shrunk-1",
        "setup": {"channels": channels},
        "history": [step for step, _, _ in records],
    }
    values: dict[str, Any] = {
        "scenario": wire,
        "found_as": "valve/seed-7/4711",
        "diverges_at": diverges_at % len(records) if records else 0,
        "steps": [StepRecord(*record) for record in records],
        "expected": "watermark 20",
        "got": "nothing",
        "message": "VALVE-2 (MUST) The output is the minimum of the aligned channels\nOn a valve with 2 channels: ...",
        "replay": "tidegauge replay results/counterexamples/VALVE-2.jsonl --adapter sample",
        "file": "counterexamples/VALVE-2.jsonl",
    }
    return Counterexample(**{**values, **fields})


def missing_minimum(**fields: Any) -> Counterexample:
    """An idle channel is excluded from the minimum, but nothing is output."""
    return counterexample(
        [
            (watermark(0, 10), [], []),
            (watermark(1, 20), [sent(10)], [sent(10)]),
            (watermark(1, 15), [], []),
            (idle(0), [sent(20)], []),
        ],
        **fields,
    )


def job_picture(aligned: bool = True, blocks: bool = True, **fields: Any) -> JobPicture:
    """The FLIP-182 job with alignment (`blocks`: the engine obeys it), or its control."""
    slow = SubtaskPicture("numbers", 0, [[time, time - 1] for time in range(10, 60_001, 490)], [])
    if aligned and blocks:
        way = [[10, 99], [3310, 33_000], [30_000, 59_999], [60_000, 59_999]]
        blocked = [[3310, 30_010]]
    else:
        way, blocked = [[10, 99], [6000, 59_999], [60_000, 59_999]], []
    values: dict[str, Any] = {
        "job": "flip-182",
        "aligned": aligned,
        "drift": 30_000 if aligned else 0,
        "overshoot": 10_001,
        "subtasks": [slow, *(SubtaskPicture("numbers", index, way, blocked) for index in (1, 2, 3))],
        "band": [[time, time - 2] for time in range(10, 60_001, 490)] if aligned else [],
    }
    return JobPicture(**{**values, **fields})


def literal_picture(aligned: bool = True) -> JobPicture:
    """The literal job, whose subtasks start 2^61 ms apart."""
    reached = 10_000 if aligned else 240_000
    others = [
        SubtaskPicture(
            "numbers",
            index,
            [
                [10, index * 2**61],
                [reached // 10, index * 2**61 + reached],
                [24_000, index * 2**61 + reached],
            ],
            [[1010, 24_000]] if aligned else [],
        )
        for index in (1, 2, 3)
    ]
    slow = SubtaskPicture("numbers", 0, [[10, 9], [24_000, 23_999]], [])
    band = [[10, 8], [24_000, 23_998]] if aligned else []
    return job_picture(aligned, job="flip-182-literal", subtasks=[slow, *others], band=band)


def job_counterexample(**fields: Any) -> Counterexample:
    """A job in which a property is violated."""
    return counterexample(
        [],
        scenario={"component": "job", "id": "job:flip-182", "setup": {"name": "flip-182", "sources": []}},
        found_as="job:flip-182",
        expected="The watermarks are within the drift.",
        got="at 4450 ms subtask 1 is 40050 ms ahead",
        property="job-spread-bounded",
        file="counterexamples/SOURCE-1.jsonl",
        **fields,
    )


def rule(number: int, verdict: Verdict = "pass", **fields: Any) -> RuleResult:
    """The result of the rule `VALVE-<number>`."""
    values: dict[str, Any] = {
        "id": f"VALVE-{number}",
        "level": "MUST",
        "component": "valve",
        "title": f"Title of rule {number}",
        "sentence": f"The valve MUST follow rule {number}.",
        "intent": f"Intent of rule {number}.",
        "check": f"that rule {number} is implemented.",
        "sources": ["E29", "FLINK-5017"],
        "verdict": verdict,
        "reason": "" if verdict == "pass" else f"reason of rule {number}",
        "layer": "in-process",
        "policy": None,
        "scenarios": 1000 + number,
        "steps": 5000 + number,
    }
    if verdict == "fail":
        values["counterexample"] = missing_minimum()
    return RuleResult(**{**values, **fields})


def suspects(*numbers: int, **fields: Any) -> list[RuleResult]:
    """Return the suspects of one difference, the most plausible first, with the counterexample they share."""
    plausible = [Suspect(f"VALVE-{number}", round(0.6 / place, 2)) for place, number in enumerate(numbers, 1)]
    names = ", ".join(suspect.rule for suspect in plausible)
    accused = "\n".join(f"  VALVE-{number} (MUST) Title of rule {number}" for number in numbers)
    message = f"One of these rules is broken:\n{accused}\nOn a valve with channels=2: ..."
    values = {
        "suspects": plausible,
        "reason": f"one of {names} is broken: scenario valve/shrunk-1 differs",
        "counterexample": missing_minimum(message=message),
        **fields,
    }
    return [rule(number, "suspect", **values) for number in numbers]


def known_deviation(number: int, text: str = "as the known deviation D", **fields: Any) -> RuleResult:
    """A rule that fails as a known deviation."""
    return rule(number, "fail", deviation=text, **fields)


def engine_error(**fields: Any) -> EngineError:
    """An engine that loses its connection in many scenarios."""
    values: dict[str, Any] = {
        "component": "valve",
        "kind": "exception",
        "text": "ConnectionError: lost connection",
        "scenarios": 863,
        "of": 2954,
        "scenario": "valve/seed-7/12",
        "traceback": 'Traceback (most recent call last):\n  File "valve.py", line 7, in idle\n'
        "ConnectionError: lost connection\n",
        "rules": ["VALVE-1", "VALVE-2"],
    }
    return EngineError(**{**values, **fields})


def component_result(failing: int = 0, errors: int = 0, **fields: Any) -> ComponentResult:
    """What the valve's scenarios came to."""
    values = {
        "component": "valve",
        "scenarios": 2954,
        "failing": failing,
        "errors": errors,
        "examined": failing,
    }
    return ComponentResult(**{**values, **fields})


def fitted(*names: str, failing: int = 175, explained: int = 175) -> ComponentResult:
    """A valve that a model of these mutants explains."""
    model = [Term(name=name, kind="mutant", rules=["VALVE-1"]) for name in names]
    return component_result(failing, explained=explained, model=model)


def property_result(verdict: Verdict = "pass", violated: int = 0) -> PropertyResult:
    """The result of a property."""
    return PropertyResult(
        name="valve-output-increases",
        component="valve",
        sentence="Each watermark that leaves a valve is greater than the one before.",
        rules=["VALVE-1"],
        verdict=verdict,
        reason="held in 512 scenarios" if verdict == "pass" else f"violated in {violated} of 512 scenarios",
        checked=512,
        violated=violated,
    )


def results(rules: list[RuleResult] | None = None, **fields: Any) -> Results:
    """A complete run in which everything passes, unless told otherwise."""
    chosen = [rule(number) for number in range(1, 6)] if rules is None else rules
    failing = sum(kind_of(found) in ACCUSED and found.flaky is None for found in chosen)
    erring = any(found.verdict == "error" for found in chosen)
    values: dict[str, Any] = {
        "schema": SCHEMA,
        "tidegauge": "0.1.0",
        "spec": "1.0",
        "profile": "core",
        "implementation": Implementation(
            name="sample-engine",
            version="4.2",
            capabilities=("valve", "snapshot"),
            options={"engine": "fast"},
        ),
        "environment": {"python": "3.11.7", "platform": "Linux x86_64"},
        "seed": 20260101,
        "budget": "default",
        "started": "2026-01-01T12:00:00+00:00",
        "duration_s": 83.4,
        "complete": True,
        "exit_code": 1 if failing or erring or fields.get("errors") else 0,
        "command": ["tidegauge", "run", "--adapter", "sample engine"],
        "selection": {"components": "", "rules": ""},
        "counts": {
            **counts_of(chosen),
            "scenarios": 12345,
            "steps": 67890,
            "failing_scenarios": 17 * failing,
            "error_scenarios": sum(error.scenarios for error in fields.get("errors", [])),
        },
        "rules": chosen,
        "properties": [property_result()],
        "items": [
            ItemResult(id="valve/cover/0", outcome="judged", scenarios=900, steps=4500, duration_s=1.5)
        ],
    }
    return Results(**{**values, **fields})


def of_every_kind() -> Results:
    """A run with rules of every kind, each in another number, in two components."""
    mutants = ["valve-no-flush", "valve-guarded-flush", "valve-lower-watermark-accepted"]
    blind = "VALVE-1 fails first (0 of 10 clean scenarios); fix that first"
    rules = [
        rule(1, "fail", also_in=["job"]),
        rule(2, "fail", suspected=True),
        rule(3, "fail", flaky="a race (https://example.org/7)"),
        *(known_deviation(number) for number in (4, 5)),
        *(rule(number, "error", reason="no answer where the rule decides") for number in (6, 7, 8)),
        *(
            rule(number, "not-tested", reason=blind, stands_in_the_way="valve/seed-7/4711")
            for number in range(9, 15)
        ),
        rule(15, "not-applicable", reason="not claimed by this engine"),
        rule(16, excludes=mutants),
        rule(17, excludes=mutants[:1], thin=True),
        rule(18, policy="by policy when_equal = twice; core says once"),
        *(rule(number) for number in range(19, 22)),
        *suspects(22, 23),
        *suspects(24, 25, 26),
        *(
            rule(number, id=f"CLOCK-{number}", component="clock", title=f"Clock rule {number}")
            for number in (1, 2)
        ),
        rule(
            1,
            "fail",
            id="JOB-1",
            component="job",
            affected_by=["VALVE-1"],
            counterexample=job_counterexample(),
        ),
    ]
    return results(
        rules,
        errors=[engine_error()],
        components=[
            component_result(
                175,
                863,
                explained=175,
                model=[
                    Term(name="valve-guarded-flush", kind="mutant", rules=["VALVE-1"]),
                    Term(name="valve-stalled-reactivation", kind="mutant", rules=["VALVE-2"]),
                ],
            ),
            component_result(component="clock"),
        ],
    )  # fmt: skip


def many_failures(number: int, steps: int = 12) -> Results:
    """A run in which so many rules (a multiple of ten) fail, in ten chapters, each by a history of so
    many steps. The first chapter is at the root, the others build on it."""
    components = ["valve", *(f"part_{index}" for index in range(1, 10))]
    rules = []
    for index in range(number):
        part, count = index // (number // 10), index % (number // 10) + 1
        name = "VALVE" if part == 0 else f"PART{part}"
        way = [watermark(step % 2, step + index) for step in range(steps - 1)]
        records: list[Record] = [(step, [], []) for step in way]
        rules.append(
            rule(
                count,
                "fail",
                id=f"{name}-{count}",
                component=components[part],
                title=f"What part {part} has to do in situation {count}",
                counterexample=counterexample(
                    [*records, (idle(0), [sent(steps + index)], [])],
                    file=f"counterexamples/{name}-{count}.jsonl",
                    replay=f"tidegauge replay results/counterexamples/{name}-{count}.jsonl --adapter sample",
                ),
                affected_by=[] if part == 0 else ["VALVE-1"],
            )
        )
    return results(rules)
