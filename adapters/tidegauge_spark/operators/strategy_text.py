"""Watermark strategies as text, which is how the state of a query remembers those that rows have built."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from tidegauge_spark.decisions.errors import IllegalArgumentError
from tidegauge_spark.decisions.watermark_strategy import (
    BoundedSupplier,
    GeneratorSupplier,
    TimestampAssigner,
    WatermarkAlignment,
    WatermarkStrategy,
    ingestion_time,
    no_watermarks,
    processing_time_watermarks,
    punctuated_watermarks,
    record_time,
)

SUPPLIERS: Final[Mapping[str, GeneratorSupplier]] = {
    "punctuated": punctuated_watermarks,
    "processing-time": processing_time_watermarks,
}
"""Suppliers by the names that rows have for them."""

ASSIGNERS: Final[Mapping[str, TimestampAssigner]] = {
    "record-time": record_time,
    "ingestion-time": ingestion_time,
}
"""Assigners by the names that rows have for them."""

_CONFIGURED: Final = "(configured)"
_NO_WATERMARKS: Final = "(no watermarks)"


class StrategyText:
    """Writes and reads the strategies of a query.

    Functions have no text of their own: they are written by name, and those of the strategy with which the
    query is configured as such. That strategy itself is written as None, so that another one takes its place
    if the query is restarted with it.
    """

    def __init__(self, configured: WatermarkStrategy, suppliers: Mapping[str, GeneratorSupplier]) -> None:
        """Know the strategy of the query, and the suppliers that rows may name."""
        self._configured = configured
        self._suppliers = {**suppliers, _NO_WATERMARKS: no_watermarks, _CONFIGURED: configured.supplier}
        self._assigners = {**ASSIGNERS, _CONFIGURED: configured.assigner}

    def write(self, strategy: WatermarkStrategy) -> str | None:
        """Return a strategy that is the configured one, or was built from rows, as text."""
        if strategy == self._configured:
            return None
        supplier, bound = strategy.supplier, None
        if isinstance(supplier, BoundedSupplier):
            supplied, bound = None, supplier.max_out_of_orderness
        else:
            supplied = _name_of(supplier, self._suppliers)
        fields = {
            "supplier": supplied,
            "max_out_of_orderness": bound,
            "assigner": _name_of(strategy.assigner, self._assigners),
            "idle_timeout": strategy.idle_timeout,
            "alignment": strategy.alignment,
        }
        return json.dumps({name: value for name, value in fields.items() if value is not None})

    def read(self, text: str | None) -> WatermarkStrategy:
        """Return the strategy that was written.

        Raises `IllegalArgumentError` if it has a supplier that the query does not know any more.
        """
        if text is None:
            return self._configured
        fields = json.loads(text)
        bound, alignment = fields.get("max_out_of_orderness"), fields.get("alignment")
        return WatermarkStrategy(
            supplier=self._supplier(fields["supplier"]) if bound is None else BoundedSupplier(bound),
            assigner=self._assigners[fields["assigner"]],
            idle_timeout=fields.get("idle_timeout"),
            alignment=None if alignment is None else WatermarkAlignment(*alignment),
        )

    def _supplier(self, name: str) -> GeneratorSupplier:
        if name not in self._suppliers:
            raise IllegalArgumentError(
                f"the checkpoint has a strategy with the supplier {name!r}; give it to the query again"
            )
        return self._suppliers[name]


def _name_of(function: Any, names: Mapping[str, Any]) -> str:
    return next(name for name, named in names.items() if named == function)
