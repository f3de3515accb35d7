"""Scenarios on instances of their own: one alone, several at the same time, one after the other."""

from collections.abc import Sequence
from contextlib import ExitStack

from ..wire.scenario import Scenario, copied
from ..wire.transcript import Transcript
from .adapter import Adapter
from .session import Session, played, played_alternately
from .wire_check import checked


class CannotBeStepped(Exception):
    """The adapter has no session for the component."""


def alone(adapter: Adapter, scenario: Scenario) -> Transcript:
    """What a new instance does with a scenario. Raises `CannotBeStepped`."""
    with ExitStack() as open_sessions:
        return checked(played(_session(adapter, scenario, open_sessions), copied(scenario)))


def side_by_side(adapter: Adapter, scenarios: Sequence[Scenario]) -> list[Transcript]:
    """What new instances, one a scenario, do that are stepped alternately. Raises `CannotBeStepped`."""
    with ExitStack() as open_sessions:
        sessions = [_session(adapter, scenario, open_sessions) for scenario in scenarios]
        transcripts = played_alternately(sessions, [copied(scenario) for scenario in scenarios])
        return [checked(transcript) for transcript in transcripts]


def one_after_the_other(adapter: Adapter, scenarios: Sequence[Scenario]) -> list[Transcript]:
    """What new instances, one a scenario, do of which each is made when the last has come to its end. Raises
    `CannotBeStepped`."""
    return [alone(adapter, scenario) for scenario in scenarios]


def _session(adapter: Adapter, scenario: Scenario, open_sessions: ExitStack) -> Session:
    session = adapter.session(copied(scenario).setup)
    if session is None:
        raise CannotBeStepped
    open_sessions.callback(session.close)
    return session
