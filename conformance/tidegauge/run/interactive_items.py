"""Steps the engine, if it supports sessions, beside the reference, with a state machine of Hypothesis.

Hypothesis finds a difference; the shrinker of the kit minimizes it.
"""

from typing import Any

from hypothesis import seed
from hypothesis import strategies as st
from hypothesis.errors import FlakyFailure
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from ..components.registry import COMPONENTS
from ..components.within import outside_of_shapes
from ..drawing.strategies import setups, steps
from ..engine.session import Session, played
from ..engine.wire_check import checked
from ..judging.items.examination import Examiner
from ..judging.items.item_report import ItemReport, keep_difference
from ..judging.items.judge import Judgement, judge
from ..judging.reference.oracle import expect
from ..wire.base_scenario import Origin
from ..wire.scenario import Scenario
from ..wire.transcript import Failure, Outputs, Transcript
from .fuzz_items import Diverges, hypothesis_settings
from .plan import PlannedItem
from .run_in_process import Run


def step_interactively(item: PlannedItem, run: Run, examiner: Examiner, report: ItemReport) -> None:
    """Search for steps in which a session of the engine differs, counting into `report`."""
    component = COMPONENTS[item.component]
    differing: list[tuple[Scenario, Judgement, Transcript | None]] = []

    class Machine(RuleBasedStateMachine):
        """One instance of the engine, and its steps so far."""

        def __init__(self) -> None:
            super().__init__()
            self.history: list[Any] = []
            self.outputs: list[Outputs] = []
            self.failure: Failure | None = None
            self.over = False
            self.session: Session | None = None

        @initialize(setup=setups(item.component, run.drawn))
        def start(self, setup: Any) -> None:
            self.setup = setup
            without_steps = self.scenario()
            claimed = set(without_steps.needs) <= set(run.implementation.capabilities)
            if claimed and self.can_be_expressed(without_steps):
                self.session = run.adapter.session(setup)

        @rule(data=st.data())
        def step(self, data: Any) -> None:
            if self.session is None or self.failure is not None or self.over:
                return
            step = data.draw(steps(item.component, self.setup, run.drawn))
            following = self.scenario(step)
            if not self.can_be_expressed(following):
                return
            self.history.append(step)
            one = component.scenario(id="step", setup=self.setup, history=(step,))
            not_asked = run.adapter.not_asked(following)
            answer = Transcript("step", (), not_asked) if not_asked else played(self.session, one)
            self.outputs += answer.outputs
            self.failure = answer.failure
            scenario = self.scenario()
            transcript = checked(Transcript(scenario.id, tuple(self.outputs), self.failure))
            judgement = judge(scenario, transcript, expect(scenario, examiner.semantics), "step")
            if judgement.agrees:
                return
            self.over = True
            if examiner.fails(report, scenario, judgement, transcript):
                differing.append((scenario, judgement, transcript))
                raise Diverges

        def scenario(self, *next_steps: Any) -> Any:
            """Return the scenario of the steps so far and `next_steps`."""
            return component.scenario(
                id=f"{item.component}:interactive",
                setup=self.setup,
                history=(*self.history, *next_steps),
                origin=Origin("own"),
            )

        def can_be_expressed(self, scenario: Scenario) -> bool:
            """Return whether a scenario is within the shape and the adapter expresses it. A scenario within
            the shape that the adapter does not express is counted as skipped."""
            if outside_of_shapes(scenario, run.drawn):
                return False
            reason = run.adapter.inexpressible(scenario)
            if reason is not None:
                reasons = report.left_out.reasons
                reasons[reason] = reasons.get(reason, 0) + 1
            return reason is None

        def teardown(self) -> None:
            if self.history and self.failure is None and not self.over:
                scenario = self.scenario()
                transcript = Transcript(scenario.id, tuple(self.outputs))
                judgement = judge(scenario, transcript, expect(scenario, examiner.semantics), "step")
                examiner.fails(report, scenario, judgement, transcript)
            if self.session is not None:
                self.session.close()

    machine = seed(run.request.seed)(Machine)
    try:
        run_state_machine_as_test(
            machine,
            settings=hypothesis_settings(item.stop - item.start, steps=20),
        )
    except (Diverges, FlakyFailure):
        stepped = differing[0]
        observed = _as_observed(examiner, *stepped)
        keep_difference(report, *observed)
        differs = observed[1].diverges_at is not None
        report.failures += [examiner.shrunk(*(observed if differs else stepped))]


def _as_observed(
    examiner: Examiner, scenario: Scenario, judgement: Judgement, transcript: Transcript | None
) -> tuple[Scenario, Judgement, Transcript | None]:
    """Return a scenario that was judged step by step, judged again in the way in which other items observe
    the engine. All evidence is then of one kind, and confirmations compare results of the same kind."""
    if examiner.implementation.observes == "step":
        return scenario, judgement, transcript
    ((again, answer),) = examiner.judged([scenario])
    return scenario, again, answer
