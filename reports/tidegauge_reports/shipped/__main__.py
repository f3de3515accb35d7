"""`python -m tidegauge_reports.shipped [ENGINE...]`, in a clone: renew the verdicts that come with Tidegauge.

Runs the suites on the engines of the project, or on those that are named, with the default budget. Writes the
verdicts of each beside this module, and draws the matrix of the README again. The three runs take about 20
minutes on two cores. `--draw` runs nothing and only draws the verdicts that are there.
"""

import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from tidegauge.wire.results import FILE_NAME as RESULTS
from tidegauge.wire.results import Results, decode_results, read_results
from tidegauge.wire.scenario import BadInput

from . import FILE_NAME, decode_shipped, encode_shipped, shipped_run
from .freshness import specification_digest
from .pictures import draw

ENGINES = ("reference", "spark", "spark-native")
"""The adapters of the project whose verdicts come with it."""

_VERDICTS = Path("reports", "tidegauge_reports", "shipped", FILE_NAME)
_PICTURES = Path("reports", "matrix")


def main(arguments: Sequence[str]) -> int:
    """Renew verdicts in the clone that is the current folder; 2 if it is none, or if a run does not end."""
    parser = ArgumentParser("python -m tidegauge_reports.shipped", description=__doc__)
    parser.add_argument("engines", nargs="*", metavar="ENGINE", help=f"of {', '.join(ENGINES)}; default: all")
    parser.add_argument("--draw", action="store_true", help="run nothing, draw the verdicts that are there")
    options = parser.parse_args(arguments)
    if unknown := set(options.engines) - set(ENGINES):
        parser.error(f"{', '.join(sorted(unknown))} is none of {', '.join(ENGINES)}")
    try:
        _renew([] if options.draw else options.engines or ENGINES)
    except (BadInput, OSError) as problem:
        print(problem, file=sys.stderr)
        return 2
    return 0


def _renew(engines: Sequence[str]) -> None:
    """Each engine's verdicts are kept as soon as its run has ended, whatever becomes of the next."""
    if not _PICTURES.is_dir() or not _VERDICTS.parent.is_dir():
        raise BadInput("run this in the folder of a clone, in which reports/ is")
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


def _judged(engine: str) -> Results:
    """The results of a whole run. Raises `BadInput` if it did not come to its end."""
    with TemporaryDirectory() as folder:
        run = [sys.executable, "-m", "tidegauge", "run", "--adapter", engine, "--out", "out"]
        ended = subprocess.run(run, cwd=folder, check=False)
        results = read_results(Path(folder, "out", RESULTS))
    if not results.complete:
        raise BadInput(f"the run of {engine} ended early (exit code {ended.returncode}): nothing is renewed")
    return results


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
