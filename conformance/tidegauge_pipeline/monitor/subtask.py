"""One subtask of a running job: its fold, and the latest values that it has shown."""

from typing import Any

import numpy as np

from tidegauge.wire.timestamps import MIN

from ..event_log.findings import OperatorFindings
from ..event_log.fold import Fold
from ..event_log.job.pauses import Stall
from ..event_log.rows import Rows


class Subtask:
    """The rows of one subtask, in their order.

    Attributes:
        watermark: the last watermark that the subtask output (ms), None if there was none.
        state_rows: the number of rows in its state, None if it has none.
        at: the processing time of its newest row (ms).
        records, late: the numbers of records and of late rows so far.
        stall: the pause between watermarks that is still open, None if there is none.
    """

    def __init__(self) -> None:
        # The monitor reports findings only. check-log judges the rules, which costs more.
        self._fold = Fold(properties=())
        self.watermark: int | None = None
        self.state_rows: int | None = None
        self.at = MIN
        self.records = 0
        self.late = 0
        self.stall: Stall | None = None

    def add(self, table: Any) -> list[OperatorFindings]:
        """Add the next rows, with the columns of `schema.ROWS`, and return what they show by operator."""
        rows = Rows(table)
        self._fold.add(table)
        shown = self._fold.take()
        self.at = max(self.at, int(rows.processing_time.max()))
        self.records += sum(operator.signs.records for operator in shown)
        self.late += sum(operator.signs.late for operator in shown)
        marks = rows.is_kind("watermark") & rows.own & rows.has_event_time
        if marks.any():
            self.watermark = int(rows.event_time[np.flatnonzero(marks)[-1]])
        states = np.flatnonzero(rows.is_kind("state-size"))
        if len(states):
            self.state_rows = int(rows.count[states[-1]])
        # A batch shows its longest pause, which is over if a watermark or a restart came later.
        ends = rows.sequence[np.flatnonzero(marks | rows.is_kind("restarted"))].max(initial=0)
        stalls = [operator.signs.stall for operator in shown] + [self.stall]
        self.stall = next((stall for stall in stalls if stall is not None and stall.sequence >= ends), None)
        return shown
