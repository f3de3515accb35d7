"""Where each mutant of whole jobs shows: `python -m tidegauge.detection.job_kills` runs the jobs of the suite
on the reference's simulator with each of them, and writes what its properties see to
`judging/jobs/job_kills.json`.

A job takes seconds, so a run does not try these mutants itself: it looks up which of the jobs that ran, and
of the properties that held there, exclude them.
"""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from tidegauge_reference import CORE

from ..components.job.binding import OVERSHOOT_MS, REACTION_MS
from ..components.job.jobs import JOBS
from ..components.registry import load_mutants
from ..judging.jobs.findings import family, finding, properties_of
from ..judging.jobs.right_job import RightEngine
from ..judging.reference.deviating_reference import with_deviations
from ..judging.reference.deviations import Deviation
from ..version import __version__
from ..wire.implementation import Implementation

FILE = Path(__file__).parent.parent / "judging" / "jobs" / "job_kills.json"


def kills_of(mutant: str, jobs: Sequence[str] = tuple(JOBS)) -> list[tuple[str, str]]:
    """The jobs, with the properties that an engine with this mutant violates there."""
    implementation = Implementation(
        name="reference",
        version=__version__,
        capabilities=("job",),
        overshoot_ms=OVERSHOOT_MS,
        reaction_ms=REACTION_MS,
    )
    engine = RightEngine(implementation, with_deviations(CORE, [Deviation(like=f"mutant:{mutant}")]))
    found: list[tuple[str, str]] = []
    for name in jobs:
        properties = properties_of(JOBS[name])
        runs = {place: engine.run(job) for place, job in family(JOBS[name], properties).items()}
        seen = [finding(property, runs) for property in properties]
        found += [(name, one.property) for one in seen if one is not None and one.seen is not None]
    return found


def main() -> None:
    """Try all of them, and write the file."""
    names = [name for name, mutant in load_mutants().items() if mutant.component == "job"]
    kills = {}
    for number, name in enumerate(names, 1):
        kills[name] = kills_of(name)
        print(f"{number} of {len(names)}: {name} shows in {len(kills[name])} properties", flush=True)
    FILE.write_bytes(msgspec.json.format(msgspec.json.encode(kills), indent=1) + b"\n")


if __name__ == "__main__":
    main()
