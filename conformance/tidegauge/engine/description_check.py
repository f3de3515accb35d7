"""What an adapter says of its engine, within bounds: it stands in every report."""

import msgspec

from tidegauge_spec import load_registry

from ..wire.implementation import Implementation
from ..wire.scenario import BadInput
from ..wire.unknown_names import unknown
from .foreign_text import printable, shown

LONGEST_NAME = 200
"""Characters of the name of an engine, and of its version."""

LONGEST_REMARK = 10_000
"""Characters of its remark, and of what it says of its overshoot."""


def check_description(adapter: str, implementation: Implementation) -> None:
    """Refuse values of other types, names that do not print, texts that are too long, and numbers below what
    they can be. Raises `BadInput`, which names the field and the bound."""
    who = f"adapter {adapter!r}"
    try:
        msgspec.convert(msgspec.to_builtins(implementation), Implementation)
    except (msgspec.MsgspecError, TypeError, ValueError, OverflowError) as error:
        raise BadInput(f"{who}: its description does not fit: {printable(str(error))}") from None
    for field in ("name", "version"):
        text = getattr(implementation, field)
        if len(text) > LONGEST_NAME:
            raise BadInput(f"{who}: its {field} has {len(text):,} characters; give {LONGEST_NAME} at most")
        if not text.isprintable():
            raise BadInput(f"{who}: its {field} {shown(text)} has signs that do not print; leave them out")
    for field in ("remark", "overshoot"):
        text = getattr(implementation, field) or ""
        if len(text) > LONGEST_REMARK:
            raise BadInput(f"{who}: its {field} has {len(text):,} characters; give {LONGEST_REMARK} at most")
    rules, listed = load_registry().rules, "`tidegauge rules` lists them"
    for rule, text in implementation.by_adapter.items():
        if rule not in rules:
            raise BadInput(f"{who}: by_adapter has an {unknown('rule', rule, rules, listed)}")
        if not text.strip() or len(text) > LONGEST_REMARK:
            raise BadInput(f"{who}: by_adapter of {rule}: say in a sentence what the adapter does")
    for suite, number in implementation.at_most.items():
        if number < 0:
            raise BadInput(f"{who}: at_most of {shown(suite)} is {number}; give 0 or more")
    for suite, seconds in implementation.seconds.items():
        if not 0 <= seconds < float("inf"):
            raise BadInput(f"{who}: seconds of {shown(suite)} is {seconds}; give 0 or more")
    for field, least in (("overshoot_ms", 0), ("reaction_ms", 0), ("memory_mib", 1)):
        if (number := getattr(implementation, field)) < least:
            raise BadInput(f"{who}: its {field} is {number}; give {least} or more")
