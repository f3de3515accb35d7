"""What the state of windows was made by, so that a query that goes on with other windows is noticed."""

from __future__ import annotations

import json

from tidegauge_spark.decisions.errors import IllegalArgumentError
from tidegauge_spark.decisions.windows.settings import WindowSettings
from tidegauge_spark.operators.named_aggregates import NamedAggregates
from tidegauge_spark.operators.record_columns import RecordColumns


def plan_of(settings: WindowSettings, records: RecordColumns, aggregates: NamedAggregates) -> str:
    """Return, as a text, all that must not change over a restart.

    The allowed lateness and the late output may change, and what the functions of an aggregate do is not
    known here.
    """
    return json.dumps(
        {
            "windows": f"{settings.assigner}",
            "trigger": settings.trigger,
            "accumulation": settings.accumulation,
            "key": [f"{field.name}: {field.dataType.simpleString()}" for field in records.key_fields],
            "operator subtasks": records.operator_subtasks,
            "aggregates": aggregates.described(),
        }
    )


def check_plan(stored: str | None, own: str) -> None:
    """Raise `IllegalArgumentError` if windows were kept by another plan; None: it is not known."""
    if stored is None or stored == own:
        return
    was, now = json.loads(stored), json.loads(own)
    told = [f"{name}: {was.get(name)} before, {now[name]} now" for name in now if was.get(name) != now[name]]
    raise IllegalArgumentError(
        f"the checkpoint has windows of another query: {'; '.join(told)}; change it back, or "
        "start with a new checkpoint"
    )
