"""Steps as columns and rows as outputs, for processors whose columns have the names of the kit."""

from collections.abc import Mapping
from typing import Any, get_args

from tidegauge.wire.timestamps import from_wire, timestamp_fields, to_wire
from tidegauge.wire.vocabulary import AnyOutput, Step

_OUTPUTS: dict[str, Any] = {str(output.__struct_config__.tag): output for output in get_args(AnyOutput)}


def step_columns(step: Step) -> dict[str, Any]:
    """A step as columns: `kind`, such as "watermark", and its fields; timestamps in ms, as 64-bit numbers."""
    timestamps = timestamp_fields(type(step))
    columns: dict[str, Any] = {"kind": str(step.__struct_config__.tag)}
    for name in step.__struct_fields__:
        value = getattr(step, name)
        columns[name] = from_wire(value) if name in timestamps and value is not None else value
    return columns


def named_output(row: Mapping[str, Any]) -> AnyOutput:
    """The output that `kind` names, its fields from the columns of the same names.

    Raises `ValueError` for an unknown kind, and where a field is missing.
    """
    output = _OUTPUTS.get(row["kind"])
    if output is None:
        raise ValueError(f"the output row {dict(row)} has the unknown kind {row['kind']!r}")
    fields: dict[str, Any] = {}
    for name in output.__struct_fields__:
        value = row.get(name)
        if value is not None:
            timestamp = name in timestamp_fields(output)
            fields[name] = to_wire(value) if timestamp else tuple(value) if type(value) is list else value
    try:
        built: AnyOutput = output(**fields)
    except TypeError as problem:
        raise ValueError(f"the output row {dict(row)} lacks something: {problem}") from None
    return built
