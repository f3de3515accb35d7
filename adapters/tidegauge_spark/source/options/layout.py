"""The splits of a folder of files, and the order in which the files of a split are read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

from tidegauge_spark.source.options.given import GivenOptions

SUB_FOLDER: Final = "folder"
PART_NUMBER: Final = "partNumber"
ONE_SPLIT: Final = "none"
COLUMNS: Final = "columns"
"""Internal value: users write the names of the columns."""

ORDERS: Final = ("modificationTime", "name")


@dataclass(frozen=True)
class Layout:
    """The layout of a folder.

    kind: what a split is, one of `SUB_FOLDER`, `PART_NUMBER` (in the names that Spark gives to files),
    `ONE_SPLIT` (the folder as a whole), or `COLUMNS`. columns: the partition columns; each combination of
    their values is a split. by_modification: whether the files of a folder are in order of modification time,
    not of name. patterns: globs, one of which a file name must match; other files are ignored. If
    empty, no files are ignored.
    """

    kind: str = SUB_FOLDER
    columns: tuple[str, ...] = ()
    by_modification: bool = False
    patterns: tuple[str, ...] = ()

    def sees(self, name: str) -> bool:
        """Return whether the patterns admit a file name. Hidden names always pass: they are markers, or are
        ignored elsewhere."""
        if not self.patterns or name.startswith(("_", ".")):
            return True
        return any(fnmatchcase(name, pattern) for pattern in self.patterns)

    @property
    def of_spark(self) -> bool:
        """Whether the folder has the layout of Spark: files in it, or in folders named column=value."""
        return self.kind != SUB_FOLDER

    def __str__(self) -> str:
        """Return the options as they appear in messages and checkpoints."""
        split_by = ",".join(f"`{each}`" for each in self.columns) or self.kind
        return f"splitBy {split_by}, fileOrder {ORDERS[not self.by_modification]}"


SUB_FOLDERS: Final = Layout()
"""A sub-folder for each split, unless the options say otherwise."""


def parse_layout(given: GivenOptions) -> Layout:
    """Return the layout from splitBy and fileOrder. Raises `IllegalOptionError`."""
    kind, columns = _split_by(given)
    by_modification = kind != SUB_FOLDER
    if "fileOrder" in given:
        by_modification = given.one_of("fileOrder", [each.lower() for each in ORDERS]) == ORDERS[0].lower()
    return Layout(kind, columns, by_modification, _patterns(given))


def _patterns(given: GivenOptions) -> tuple[str, ...]:
    """Return pathGlobFilter as globs for `fnmatch`, which does not support {a,b}."""
    written = given.text("pathGlobFilter")
    if written is None:
        return ()
    if re.search(r"[\\/]", written) or re.search(r"\{[^{},]*\{", written):
        given.refuse(
            "pathGlobFilter", written, 'write a glob of file names, such as "*.parquet" or "part-*.{gz,json}"'
        )
    patterns = [written.replace("[^", "[!")]
    while any("{" in pattern for pattern in patterns):
        patterns = [each for pattern in patterns for each in _alternatives(given, pattern)]
    return tuple(patterns)


def _alternatives(given: GivenOptions, pattern: str) -> list[str]:
    """Expand the first braces of a pattern: return one pattern for each alternative."""
    before, brace, rest = pattern.partition("{")
    inside, end, behind = rest.partition("}")
    if brace and not end:
        given.refuse("pathGlobFilter", pattern, "a brace is not closed; write }")
    return [before + each + behind for each in inside.split(",")] if brace else [pattern]


def _split_by(given: GivenOptions) -> tuple[str, tuple[str, ...]]:
    written = given.text("splitBy")
    if written is None:
        return SUB_FOLDER, ()
    for kind in (SUB_FOLDER, PART_NUMBER, ONE_SPLIT):
        if written.lower() == kind.lower():
            return kind, ()
    columns = tuple(_unquoted(each.strip()) for each in written.split(","))
    if "" in columns or len({each.lower() for each in columns}) < len(columns):
        given.refuse(
            "splitBy",
            written,
            f'write partition columns, each once, such as "region" or "day,region", or "{PART_NUMBER}", '
            f'"{ONE_SPLIT}" or "{SUB_FOLDER}"',
        )
    return COLUMNS, columns


def _unquoted(column: str) -> str:
    """Return a column without the backticks in which a reserved word may be written."""
    return column[1:-1] if len(column) > 2 and column[0] == column[-1] == "`" else column
