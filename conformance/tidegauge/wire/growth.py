"""What a long scenario showed of the state and the memory of an engine."""

from collections.abc import Sequence

from msgspec import Struct


class Growth(Struct, frozen=True, kw_only=True):
    """What became of an engine's state in a long scenario, named `scenario`, of so many `rounds` and `steps`.

    As much is live after each round. After a quarter, a half, three quarters and all of the rounds a snapshot
    has so many bytes (`state`; empty: the engine claims none, or its size cannot be known). `grows`: from
    each of these moments to the next. `memory`: so many bytes more than after the quarter are taken by the
    Python objects of an engine in the kit's process, or else (`resident`) by the resident set of its process;
    empty unless they grow in the same way, and much. `slower`: a step of the last third takes so many times
    as long as one of the first third, by the medians; 1 unless it is at least twice. `failure`: why the
    scenario did not come to its end.
    """

    scenario: str
    rounds: int
    steps: int
    state: list[int] = []
    memory: list[int] = []
    resident: bool = False
    slower: float = 1.0
    grows: bool = False
    failure: str = ""


def state_words(growth: Growth) -> str:
    """`finished-splits: the snapshot grew from 412 to 38,512 bytes between round 350 and round 1,400`."""
    return (
        f"{growth.scenario}: the snapshot grew from {growth.state[0]:,} to {growth.state[-1]:,} bytes "
        f"between round {growth.rounds // 4:,} and round {growth.rounds:,}"
    )


def growth_words(growth: Sequence[Growth]) -> str:
    """How the state grew in the scenario in which it grew most; empty if it grew in none."""
    grown = [one for one in growth if one.grows]
    if not grown:
        return ""
    return state_words(max(grown, key=lambda one: one.state[-1] - one.state[0]))
