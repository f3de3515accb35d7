"""`tidegauge execute`: scenarios through an engine, as JSON lines."""

from ..engine.runner import run
from ..run.request import Request
from ..wire.scenario import BadInput, read_scenarios
from ..wire.transcript import encode_transcript
from .chosen_engine import check_claims, chosen_engine
from .console import complains
from .protocol_stream import STDIN, protocol_lines, protocol_stream
from .request_options import takes_request


@complains
@takes_request("adapter", "profile", "option")
def execute(request: Request) -> None:
    """Scenarios as JSON lines on stdin, transcripts as JSON lines on stdout; nothing is judged."""
    protocol = protocol_stream()
    scenarios = list(read_scenarios(protocol_lines(), STDIN))
    engine, implementation, _ = chosen_engine(request)
    try:
        check_claims(scenarios, engine, implementation)
        for scenario, transcript in zip(scenarios, run(engine, scenarios), strict=True):
            if transcript is None:
                raise BadInput(
                    f"adapter {request.adapter!r} returned no transcript for scenario {scenario.id!r}"
                )
            protocol.write(encode_transcript(transcript) + b"\n")
        protocol.flush()
    finally:
        engine.close()
