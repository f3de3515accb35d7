"""The options that name a place for files: `path` and `eventLog`."""

from __future__ import annotations

from tidegauge_spark.places.place import IllegalPlaceError, place_of
from tidegauge_spark.source.options.given import GivenOptions


def read_place(given: GivenOptions, name: str) -> str | None:
    """Return the place that an option names (see `place_of`); None if the option is not set.

    Raises `IllegalOptionError` for a store that is not supported, and for credentials in a URI.
    """
    written = given.text(name)
    if written is None:
        return None
    try:
        return place_of(written)
    except IllegalPlaceError as error:
        given.refuse(name, error.shown, error.remedy)
