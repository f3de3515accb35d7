"""JSON Schemas of the wire types, the same under every version of Python."""

from inspect import cleandoc
from typing import Any

import msgspec


def json_schema(wire_type: Any) -> dict[str, Any]:
    """Return the JSON Schema of a type. Descriptions are the docstrings, without indentation.

    msgspec copies docstrings unchanged, and Python removes their indentation only since 3.13.
    """
    schema = msgspec.json.schema(wire_type)
    for definition in schema.get("$defs", {}).values():
        if "description" in definition:
            definition["description"] = cleandoc(definition["description"])
    return schema
