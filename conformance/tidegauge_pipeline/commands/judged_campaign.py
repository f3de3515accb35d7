"""A campaign is planned, judged where it is to be judged, and shown: what `tidegauge campaign` does."""

import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import msgspec
from msgspec.structs import replace

from tidegauge.commands.progress_display import ProgressDisplay, ProgressForm
from tidegauge.commands.summary import Detail, print_problems, print_summary
from tidegauge.run.assembly import write_results
from tidegauge.run.journal import Finished
from tidegauge.run.own_folder import Sign, complaining, own_folder, write_own
from tidegauge.run.registered_reports import write_registered
from tidegauge.run.request import Request
from tidegauge.run.run_folder import remove_old_counterexamples
from tidegauge.wire.input_file import read_input
from tidegauge.wire.results import FILE_NAME as RESULTS
from tidegauge.wire.results import Results, read_results
from tidegauge.wire.scenario import BadInput

from ..campaign.evidence import found_in, refusal, with_counterexamples
from ..campaign.in_process import judged_in_process
from ..campaign.names import MOST_IN_PROCESS, SCENARIOS, SPECIFICATION
from ..campaign.results import results_of
from ..campaign.rows import finished_in, remove_unfinished
from ..campaign.specification import Chunk, Exhaustively, Specification, chunks_of, specified
from ..campaign.worker import worker_of
from .local_path import local_path
from .rate import Rate

_USUAL_COUNT = 100_000


@dataclass(frozen=True)
class Where:
    """Where a campaign runs: on the Spark of `master`, or in `workers` processes here."""

    master: str | None
    workers: int | None


def run_campaign(
    request: Request,
    count: int | None,
    exhaustively: Exhaustively | None,
    where: Where,
    resume: bool,
    force: bool,
    progress: ProgressForm,
) -> bool:
    """Run a campaign, write and show its results; whether the engine agrees in every scenario. Raises
    `BadInput`."""
    began = time.monotonic()
    out = local_path("--out", request.out).absolute()
    request = replace(request, out=str(out))
    number = _USUAL_COUNT if count is None and exhaustively is None else count
    specification = specified(request, number, exhaustively)
    _begin(specification, out, resume, force)
    engine = worker_of(specification)
    try:
        refused = {
            space.component: event
            for space in specification.spaces
            if (event := refusal(space.component, engine)) is not None
        }
        chunks = [chunk for chunk in chunks_of(specification) if chunk.component not in refused]
        with ProgressDisplay(progress, quiet=False) as display:
            _judge(specification, chunks, out, where, display)
        found = found_in(out, chunks, specification)
        if missing := len(chunks) - len(found.finished):
            raise BadInput(
                f"{missing} of {len(chunks)} parts of the campaign are not in {out}: --out must be a folder "
                "that the driver and all executors share"
            )
        finished = [*refused.values(), *with_counterexamples(found, specification, engine)]
    except KeyboardInterrupt:
        engine.stop()  # it has no time to close
        raise
    finally:
        engine.close()
    results = _recorded(specification, chunks, finished, out, time.monotonic() - began)
    counts = results.counts
    judged_all = results.complete and counts["scenarios"] > 0
    return judged_all and not counts["failing_scenarios"] and not counts["error_scenarios"]


def _begin(specification: Specification, out: Path, resume: bool, force: bool) -> None:
    """Make the folder ready for a campaign, a new one or the one that is resumed. Raises `BadInput`."""
    file = out / SPECIFICATION
    document = msgspec.json.encode(specification)
    with complaining(out):
        before = read_input(file) if file.exists() else None
    if resume:
        if before is None:
            raise BadInput(f"{out} holds no campaign; leave --resume out")
        if _digest(before) != specification.digest:
            raise BadInput(f"{out} holds another campaign than this one: other options; leave --resume out")
        with complaining(out):
            remove_unfinished(out)
        return
    if before is not None and not (out / RESULTS).is_file() and any((out / SCENARIOS).rglob("*.parquet")):
        raise BadInput(
            f"{out} holds a campaign that was killed: --resume continues it, or choose another --out"
        )
    own_folder(out, Sign(SPECIFICATION, b"{"), force=force)
    with complaining(out):
        (out / RESULTS).unlink(missing_ok=True)
        if before is not None:
            shutil.rmtree(out / SCENARIOS, ignore_errors=True)
        write_own(out, SPECIFICATION, document)


def _digest(document: bytes) -> str:
    try:
        return msgspec.json.decode(document, type=Specification).digest
    except msgspec.DecodeError:
        return ""


def _judge(
    specification: Specification,
    chunks: Sequence[Chunk],
    out: Path,
    where: Where,
    display: ProgressDisplay,
) -> None:
    """Judge the chunks that are not finished yet."""
    finished = {chunk.id for chunk, _ in finished_in(out, chunks, specification.digest)}
    remaining = [chunk for chunk in chunks if chunk.id not in finished]
    total = sum(chunk.stop - chunk.start for chunk in chunks)
    left = sum(chunk.stop - chunk.start for chunk in remaining)
    rate = Rate(display.show, total, total - left)
    master = where.master
    if master is None and left > MOST_IN_PROCESS and find_spec("pyspark") is not None:
        master = "local[*]"
    if master is None:
        judged_in_process(specification, remaining, out, rate.advance, where.workers)
        return
    from ..on_spark.campaign import judged_on_spark
    from ..on_spark.session import session

    with session(master) as spark:
        judged_on_spark(spark, specification, remaining, out, rate.advance)


def _recorded(
    specification: Specification,
    chunks: Sequence[Chunk],
    finished: Sequence[Finished],
    out: Path,
    seconds: float,
) -> Results:
    command = ["tidegauge", *(argument for argument in sys.argv[1:] if argument != "--resume")]
    results = results_of(specification, chunks, finished, out, command, seconds)
    results = read_results(write_results(results, out))
    remove_old_counterexamples(out)
    written = write_registered(results, out, [])
    print_summary(results, written.paths, Detail())
    print_problems(written.problems)
    return results
