"""`python -m tidegauge_reports.shipped [ENGINE...]`, in a clone: renew what comes with Tidegauge.

Runs the suites on all engines below, or on the named ones only. Writes the verdicts of each engine beside
this module, and draws the matrix of the README again. All runs take about an hour on two cores. If no engine
is named, diagnoses of mutants that are out of date are recorded again, too. `--diagnoses` does only this and
takes about 10 minutes for all mutants; to record all diagnoses again, remove their file.
`--draw` runs nothing and only draws the existing verdicts.
"""

import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from tidegauge.wire.results import FILE_NAME as RESULTS
from tidegauge.wire.results import Results, decode_results, read_results
from tidegauge.wire.scenario import BadInput

from . import FILE_NAME, decode_shipped, diagnoses, encode_shipped, shipped_run
from .freshness import specification_digest
from .pictures import draw

_SMOKE = ("--budget", "smoke")
_CORE = ("--profile", "core", "--deviations", "none", *_SMOKE)

ENGINES: Mapping[str, Sequence[str]] = {
    "beam": ("--adapter", "beam", *_SMOKE),
    "beam-core": ("--adapter", "beam", *_CORE),
    "beam-java": ("--adapter", "beam-java", *_SMOKE),
    "beam-java-core": ("--adapter", "beam-java", *_CORE),
    "bytewax": ("--adapter", "bytewax", *_SMOKE),
    "bytewax-core": ("--adapter", "bytewax", *_CORE),
    "flink": ("--adapter", "flink"),
    "flink-core": ("--adapter", "flink", "--profile", "core"),
    "hazelcast": ("--adapter", "hazelcast", *_SMOKE),
    "hazelcast-core": ("--adapter", "hazelcast", *_CORE),
    "kafka-streams": ("--adapter", "kafka-streams", *_SMOKE),
    "kafka-streams-core": ("--adapter", "kafka-streams", *_CORE),
    "reference": ("--adapter", "reference"),
    "spark": ("--adapter", "spark"),
    "spark-exact": ("--adapter", "spark-exact"),
    "spark-native": ("--adapter", "spark-native"),
    "timely": ("--adapter", "timely", *_SMOKE),
}
"""The engines whose verdicts come with the project, and the options of each run. Engines of other projects
with a profile of their own are listed twice: under it, and under `core`. All of them but Flink run at the
smallest budget; each needs its package or its jars."""

_VERDICTS = Path("reports", "tidegauge_reports", "shipped", FILE_NAME)
_DIAGNOSES = _VERDICTS.with_name(diagnoses.FILE_NAME)
_PICTURES = Path("reports", "matrix")


def main(arguments: Sequence[str]) -> int:
    """Renew verdicts and diagnoses in the clone that is the current folder; 2 if it is none, or if a run does
    not end."""
    parser = ArgumentParser("python -m tidegauge_reports.shipped", description=__doc__)
    parser.add_argument("engines", nargs="*", metavar="ENGINE", help=f"of {', '.join(ENGINES)}; default: all")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--draw", action="store_true", help="run nothing, draw the verdicts that are there")
    only.add_argument("--diagnoses", action="store_true", help="only record the diagnoses that are not fresh")
    options = parser.parse_args(arguments)
    if unknown := set(options.engines) - set(ENGINES):
        parser.error(f"{', '.join(sorted(unknown))} is none of {', '.join(ENGINES)}")
    if options.engines and (options.draw or options.diagnoses):
        parser.error("name engines, or say --draw or --diagnoses")
    try:
        if not _PICTURES.is_dir() or not _VERDICTS.parent.is_dir():
            raise BadInput("run this in the folder of a clone, in which reports/ is")
        if not options.diagnoses:
            _renew([] if options.draw else options.engines or list(ENGINES))
        if options.diagnoses or not (options.draw or options.engines):
            _diagnose()
    except (BadInput, OSError) as problem:
        print(problem, file=sys.stderr)
        return 2
    return 0


def _renew(engines: Sequence[str]) -> None:
    """Each engine's verdicts are kept as soon as its run has ended, whatever becomes of the next."""
    shipped = decode_shipped(_VERDICTS.read_bytes()) if _VERDICTS.is_file() else {}
    for engine in engines:
        results = _judged(engine)
        shipped[engine] = shipped_run(results, specification_digest())
        _VERDICTS.write_bytes(encode_shipped(shipped))
        print(f"{_VERDICTS}: {engine}, {len(results.rules)} rules")
    document = _VERDICTS.read_bytes()
    runs = {
        name: decode_results(bytes(run.results), str(_VERDICTS))
        for name, run in decode_shipped(document).items()
    }
    for path in draw(runs, document, _PICTURES):
        print(path)


def _diagnose() -> None:
    """Those that are fresh stay. All are written at once: a part of them would not be of one state."""
    mutants = diagnoses.diagnosed_mutants()
    there = diagnoses.decode_diagnoses(_DIAGNOSES.read_bytes()) if _DIAGNOSES.is_file() else {}
    recorded = {one.name: there[one.name] for one in mutants if diagnoses.is_fresh(one, there.get(one.name))}
    stale = [one for one in mutants if one.name not in recorded]
    for number, mutant in enumerate(stale, start=1):
        recorded[mutant.name] = diagnoses.diagnose(mutant)
        print(f"{number} of {len(stale)}: {mutant.name}", flush=True)
    _DIAGNOSES.write_bytes(diagnoses.encode_diagnoses(recorded))
    print(f"{_DIAGNOSES}: {len(recorded)} diagnoses, {len(stale)} of them new")


def _judged(engine: str) -> Results:
    """The results of a whole run. Raises `BadInput` if it did not come to its end."""
    with TemporaryDirectory() as folder:
        run = [sys.executable, "-m", "tidegauge", "run", *ENGINES[engine], "--out", "out"]
        ended = subprocess.run(run, cwd=folder, check=False)
        results = read_results(Path(folder, "out", RESULTS))
    if not results.complete:
        raise BadInput(f"the run of {engine} ended early (exit code {ended.returncode}): nothing is renewed")
    return results


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
