"""The commands that read files: with valid files, and the one among them that is mutated."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from tidegauge.components.job.jobs import JOBS
from tidegauge.components.registry import COMPONENTS
from tidegauge.vectors.layout import vectors_laid_out
from tidegauge.vectors.published import load_vectors
from tidegauge.wire.scenario import encode_scenario

STDIN = "stdin"
"""In place of a file: what the command reads from its standard input."""

ENGINE = ("--adapter", "reference")

DEVIATIONS = """\
[[deviation]]
like = "mutant:valve-no-flush"
reason = "IDLE is forwarded alone until version 3"
link = "https://example.org/issues/7"

[[deviation]]
policy = "align_announced_subtasks"
value = "reported"
reason = "as the others"
link = "https://example.org/issues/8"

[[flaky]]
rule = "JOB-2"
reason = "the clock of the cluster jumps"
link = "https://example.org/issues/9"
"""


@dataclass(frozen=True)
class Reading:
    """A command that reads files.

    `arguments` name them by their paths in `files`; `target` is the one that is mutated. `codes` are the exit
    codes that the command documents, `valid` is the one with valid files. `weight`: how often it is drawn
    beside the others. `protocol`: its stdout is for programs, and JSON. `slow`: it takes seconds even with
    valid files, or starts processes of its own that do. `begins`: it writes its target itself if that is not
    there.
    """

    name: str
    arguments: tuple[str, ...]
    files: Mapping[str, bytes]
    target: str
    codes: tuple[int, ...]
    valid: int
    weight: float
    protocol: bool = False
    slow: bool = False
    begins: bool = False


def readings(runs: Path) -> list[Reading]:
    """All of them. The journal and the results that some need are those of a run in the folder `runs`, which
    is done unless it is there."""
    journal, results = _of_a_run(runs)
    scenarios = _scenarios()
    few = b"\n".join(scenarios.split(b"\n")[:3]) + b"\n"
    valve = [vector.scenario for vector in load_vectors("valve")[:2]]
    pair = b"\n".join(map(encode_scenario, valve))
    job = encode_scenario(next(iter(JOBS.values())))
    own = {f"own/{name}.json": _own_vectors(name) for name in ("valve", "window")}
    deviations = DEVIATIONS.encode()
    both = {"old.json": results, "new.json": results}
    return [
        Reading("execute", ("execute", *ENGINE), {STDIN: scenarios}, STDIN, (0, 2), 0, 12, protocol=True),
        Reading(
            "replay", ("replay", "in.jsonl", *ENGINE), {"in.jsonl": scenarios}, "in.jsonl", (0, 1, 2), 0, 14
        ),
        Reading(
            "replay --interleaved",
            ("replay", "in.jsonl", *ENGINE, "--interleaved"),
            {"in.jsonl": pair},
            "in.jsonl",
            (0, 1, 2),
            0,
            4,
        ),
        Reading(
            "replay --deviations",
            ("replay", "in.jsonl", *ENGINE, "--deviations", "known.toml"),
            {"in.jsonl": few, "known.toml": deviations},
            "known.toml",
            (0, 1, 2),
            0,
            10,
        ),
        Reading(
            "promote",
            ("promote", "in.jsonl", "--into", "own"),
            {"in.jsonl": few, **own},
            "in.jsonl",
            (0, 2),
            0,
            8,
        ),
        Reading(
            "promote --into",
            ("promote", "in.jsonl", "--into", "own"),
            {"in.jsonl": few, **own},
            "own/valve.json",
            (0, 2),
            0,
            4,
        ),
        Reading("vectors", ("vectors", "own"), own, "own/window.json", (0, 1, 2), 0, 8),
        Reading("vectors --rewrite", ("vectors", "own", "--rewrite"), own, "own/valve.json", (0, 1, 2), 0, 4),
        # the component comes after the vectors: nothing is run
        Reading(
            "run --vectors",
            ("run", *ENGINE, "--vectors", "own", "--component", "teapot"),
            own,
            "own/valve.json",
            (2,),
            2,
            4,
        ),
        Reading("compare OLD", ("compare", "old.json", "new.json"), both, "old.json", (0, 1, 2), 0, 4),
        Reading(
            "compare NEW",
            ("compare", "old.json", "new.json", "--markdown", "out/compared.md"),
            {**both, "out/kept": b""},
            "new.json",
            (0, 1, 2),
            0,
            6,
        ),
        Reading("matrix", ("matrix", "old.json", "new.json", "--out", "out"), both, "new.json", (0, 2), 0, 4),
        Reading(
            "site",
            ("site", "results.json", "--out", "out"),
            {"results.json": results},
            "results.json",
            (0, 2),
            0,
            0.05,
            slow=True,
        ),
        Reading(
            "diagnose FILE",
            ("diagnose", "results.json"),
            {"results.json": results},
            "results.json",
            (0, 1, 2),
            0,
            4,
        ),
        Reading(
            "diagnose FOLDER",
            ("diagnose", "run", "--diagnose-steps", "100000"),
            {"run/journal.jsonl": journal},
            "run/journal.jsonl",
            (0, 1, 2),
            0,
            1,
        ),
        Reading(
            "report FILE",
            ("report", "results.json", "--out", "out"),
            {"results.json": results},
            "results.json",
            (0, 1, 2),
            1,
            4,
        ),
        Reading(
            "report FOLDER",
            ("report", "run", "--out", "out"),
            {"run/journal.jsonl": journal},
            "run/journal.jsonl",
            (0, 1, 2),
            1,
            2,
        ),
        Reading(
            "report of a killed run",
            ("report", "run"),
            {"run/.run-20260101T000000000000/journal.jsonl": journal.rpartition(b'{"event":"ended"')[0]},
            "run/.run-20260101T000000000000/journal.jsonl",
            (0, 1, 2),
            1,
            1.5,
        ),
        Reading(
            "run --resume",
            ("run", *ENGINE, "--resume", "--out", "run", "-n", "1", "--component", "clock"),
            {"run/.run-20260101T000000000000/journal.jsonl": journal},
            "run/.run-20260101T000000000000/journal.jsonl",
            (0, 1, 2),
            2,
            0.1,
            slow=True,
        ),
        Reading(
            "mutants --kept",
            (
                "mutants",
                "--soundness",
                "--name",
                "clock|single|clock-milliseconds|known",
                "--kept",
                "kept.jsonl",
                "-n",
                "1",
            ),
            {"kept.jsonl": _KEPT},
            "kept.jsonl",
            (0, 1, 2),
            0,
            0.05,
            slow=True,
            begins=True,
        ),
        Reading(
            "replay of a job",
            ("replay", "in.jsonl", *ENGINE),
            {"in.jsonl": job},
            "in.jsonl",
            (0, 1, 2),
            0,
            0.3,
            slow=True,
        ),
    ]


_KEPT = msgspec.json.encode({"type": "Nothing", "key": "clock|single|clock-milliseconds|known"}) + b"\n"


def _scenarios() -> bytes:
    """A scenario of each component, as a file of them."""
    chosen = [load_vectors(name)[0].scenario for name, component in COMPONENTS.items() if component.drawn]
    return b"".join(encode_scenario(scenario) + b"\n" for scenario in chosen)


def _own_vectors(component: str) -> bytes:
    """A document of two vectors."""
    return bytes(vectors_laid_out(list(load_vectors(component)[:2])))


def _of_a_run(folder: Path) -> tuple[bytes, bytes]:
    """Journal and results of a small run of an engine that differs."""
    if not (folder / "results.json").is_file():
        arguments: Sequence[str] = (
            "--adapter",
            "mutant:clock-milliseconds",
            "--component",
            "clock",
            "-n",
            "1",
        )
        command = [
            sys.executable,
            "-m",
            "tidegauge",
            "run",
            *arguments,
            "--budget",
            "smoke",
            "--out",
            str(folder),
        ]
        ran = subprocess.run(command, capture_output=True, check=False)
        assert ran.returncode == 1, ran.stderr.decode()
    return (folder / "journal.jsonl").read_bytes(), (folder / "results.json").read_bytes()
