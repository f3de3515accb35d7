"""An engine's answers to the histories that all properties of a component are checked on."""

from collections.abc import Callable, Sequence

from ...wire.scenario import Scenario
from ...wire.transcript import Transcript

Answers = Sequence[Transcript | None]


class KeptAnswers:
    """Each property is checked on the same histories, most of them on nothing else: such a history runs once
    in a process, and the properties after the first look at that run. Those of the last chunk are kept."""

    def __init__(self) -> None:
        self._answers: dict[str, Transcript | None] = {}

    def answers(
        self, families: Sequence[Sequence[Scenario]], run: Callable[[Sequence[Scenario]], Answers]
    ) -> list[Answers]:
        """The answers to each family: a history and its variants. `run` is given what has not run yet."""
        new = [one for family in families for one in family if one.id not in self._answers]
        ran = dict(zip((one.id for one in new), run(new), strict=True))
        known = self._answers | ran
        self._answers = {family[0].id: known[family[0].id] for family in families}
        return [[known[one.id] for one in family] for family in families]
