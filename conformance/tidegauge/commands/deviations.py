"""`tidegauge run --update-deviations`: the file of known deviations after a run."""

from pathlib import Path

from rich.markup import escape

from ..engine.loading import describe, load_adapter
from ..judging.diagnosis.deviation_search import find_deviations
from ..judging.reference.deviation_file import update_file
from ..judging.reference.deviations import KnownDeviations, read_deviations
from ..judging.verdicts.known_deviations import expected
from ..run.request import Request
from ..run.request_check import policies_of
from ..wire.results import Results
from .console import OUT


def bring_up_to_date(path: Path, results: Results, request: Request) -> None:
    """Take out what the engine does not do, put in what describes its failures, and say what was done."""
    known = read_deviations(path) if path.exists() else KnownDeviations()
    gone = {one.name for one in results.deviations if not expected(one)}
    kept = [one for one in known.deviation if one.name not in gone]
    failing = [rule for rule in results.rules if rule.verdict == "fail"]
    adapter = load_adapter(request.adapter, request.options)
    try:
        implementation = describe(request.adapter, adapter)
        policies = policies_of(results.profile)
        found = find_deviations(failing, kept, adapter, implementation, policies, results.seed)
    finally:
        adapter.close()
    update_file(path, [one for one in known.deviation if one.name in gone], found)
    for name in sorted(gone):
        OUT.print(f"{escape(str(path))}: taken out: {escape(name)}")
    for one in found:
        OUT.print(f"{escape(str(path))}: put in: {escape(one.name)}; give its reason and link, and run again")
    explained = {rule for one in found for rule in one.rules}
    for rule in failing:
        if rule.id not in explained:
            OUT.print(f"{rule.id}: no policy value and no mutant describes the failure; the rule still fails")
