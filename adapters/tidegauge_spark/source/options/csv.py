"""The options for CSV files, with Spark's names and defaults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tidegauge_spark.source.options.given import GivenOptions

CSV_OPTIONS: Final = ("header", "sep", "escape")


@dataclass(frozen=True)
class CsvOptions:
    """The dialect of the CSV files.

    header: whether the first line of each file contains the column names. separator: the character between
    values. quotes_are_doubled: whether a quote in a quoted value is written twice.
    """

    header: bool = False
    separator: str = ","
    quotes_are_doubled: bool = False


SPARKS_CSV: Final = CsvOptions()
"""Spark's defaults."""


def parse_csv(given: GivenOptions, file_format: str) -> CsvOptions:
    """Return the CSV options.

    Raises `IllegalOptionError` for an invalid option, or if one is set for another format.
    """
    for name in CSV_OPTIONS:
        if name in given and file_format != "csv":
            given.refuse(name, given.value(name), 'it is of CSV; set fileFormat to "csv", or leave it out')
    separator = given.value("sep") if "sep" in given else ","
    if separator == "\\t":
        separator = "\t"
    elif not separator:  # options are stripped, so a tab and a space look the same
        given.refuse("sep", separator, r'write a tab as r"\t", two characters; a space is not supported')
    if len(separator) != 1 or ord(separator) > 127 or separator in '"\\\r\n':
        given.refuse("sep", separator, 'write one character, such as ";", or "\\t"')
    if "escape" in given and given.value("escape") != '"':
        given.refuse("escape", given.value("escape"), "write '\"', or leave the option out")
    return CsvOptions(given.boolean("header", default=False), separator, "escape" in given)
