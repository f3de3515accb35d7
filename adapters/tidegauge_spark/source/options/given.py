"""Options as they were written: their values, validated, and one clear line for each invalid value."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from typing import Final, NoReturn

from tidegauge_spark.decisions.durations import parse_duration
from tidegauge_spark.decisions.timestamps import MAX

RENAMED: Final = {
    "maxRowsPerBatch": "maxRowsPerTrigger",
    "maxRowsPerBatchInBacklog": "maxRowsPerTriggerInBacklog",
}
"""Former names of options, and their present names."""


_OF_SPARK: Final = {
    "mergeSchema": "the columns are those of the first file; give all of them by schema(), and a file "
    "without a column has null there",
    "recursiveFileLookup": "folders in a split are not read; set splitBy, if they name partition columns, or "
    "name the folder above the files in path",
    "multiLine": "a record of JSON or CSV is one line; write it so, or write Parquet",
    "inferSchema": "types are not guessed; give them by schema()",
    "eventTimeFormat": "texts are event times only in JSON and CSV, as ISO 8601; write others as timestamps",
    "timestampFormat": "timestamps in texts are ISO 8601; write them so, or read the column as a text",
    "dateFormat": "dates in texts are ISO 8601; write them so, or read the column as a text",
    "delimiter": "it is called sep; write that",
    "quote": 'values are quoted by "; write them so, or write Parquet',
    "nullValue": "only an empty value without quotes is null in CSV; write it so, or read the column "
    "as a text",
    "comment": "CSV has no comments here; write files without them",
    "mode": "a line that cannot be read is an error; correct it, or read its columns as texts",
    "encoding": "texts are UTF-8; write them so",
    "compression": "the ending of the name of a file says how it is compressed; leave the option out",
    "ignoreCorruptFiles": "a damaged file is an error; move it away, or leave it out by pathGlobFilter",
    "ignoreMissingFiles": "it is called failOnDataLoss, with the opposite value; write that",
    "latestFirst": "a split is read in order; set startingTimestamp to skip old rows",
    "maxFileAge": "files are read in order, however old they are; set startingTimestamp to skip old rows",
    "cleanSource": "the source removes no files; remove those whose batches are committed yourself",
    "modifiedBefore": "all files are read; leave some out by pathGlobFilter",
    "modifiedAfter": "all files are read; set startingTimestamp to skip old rows",
    "fileNameOnly": "files of one name in two folders are two files; leave the option out",
}
"""Options of Spark's own file source that this source does not support, each with a remedy."""

_SECRET: Final = re.compile(
    r"pass(word|wd|phrase)?\b|secret|token|credential|jaas|private|[._]key\b|\bkey[._]|pem\b"
)


def shown_value(name: str, value: str) -> str:
    """Return the value of an option for messages; "***" if the name suggests a secret, in any spelling."""
    spelled = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().replace("-", "_")
    return "***" if _SECRET.search(spelled) else value


def _nearest(written: str, names: Iterable[str]) -> str:
    """Return the name that was probably meant, as a part of a message."""
    spelled = {name.lower(): name for name in names}
    found = get_close_matches(written.lower(), spelled, n=1)
    return f" (did you mean {spelled[found[0]]}?)" if found else ""


class IllegalOptionError(ValueError):
    """An option that the source rejects; the text names the option, its value and the remedy."""


class GivenOptions:
    """The options of a source by name, in any case: Spark does not keep the case of names.

    plain: the known names. by_subtask: names that are written with the index of a subtask, as in "end.0".
    listed: further known names, which are read elsewhere. Every method raises `IllegalOptionError` for an
    invalid value.
    """

    def __init__(
        self,
        options: Mapping[str, str],
        plain: Collection[str],
        by_subtask: Collection[str],
        listed: Collection[str] = (),
    ) -> None:
        self._values = {name.lower(): value.strip() for name, value in options.items()}
        self._spelled = {name.lower(): name for name in (*_OF_SPARK, *plain, *by_subtask, *RENAMED)}
        known = {name.lower() for name in plain}
        prefixes = tuple(f"{name.lower()}." for name in by_subtask)
        for name, value in self._values.items():
            if (renamed := RENAMED.get(self._spelled.get(name, ""))) is not None:
                self.refuse(name, value, f"it is called {renamed}; write that")
            if name not in known and (remedy := _OF_SPARK.get(self._spelled.get(name, ""))) is not None:
                self.refuse(name, value, f"it is not supported; {remedy}")
            if name not in known and not name.startswith(prefixes):
                names = (*plain, *listed, *(f"{each}.<subtask>" for each in by_subtask))
                self.refuse(
                    name,
                    value,
                    f"there is no such option{_nearest(name, names)}; there are {', '.join(names)}",
                )

    def __contains__(self, name: str) -> bool:
        return name.lower() in self._values

    def value(self, name: str) -> str:
        """Return what was written."""
        return self._values[name.lower()]

    def items(self) -> list[tuple[str, str]]:
        """Return the options that are set, their names as users spell them."""
        return [(self._spelling(name), value) for name, value in self._values.items()]

    def _spelling(self, name: str) -> str:
        """Return an option name in its documented spelling."""
        head, dot, index = name.partition(".")
        return self._spelled.get(name.lower()) or self._spelled.get(head.lower(), head) + dot + index

    def text(self, name: str) -> str | None:
        """Return a text that is not empty, None if the option is not set."""
        if name not in self:
            return None
        return self.value(name) or self.refuse(name, "", "it is empty; write a text or leave the option out")

    def one_of(self, name: str, values: Iterable[str]) -> str:
        """Return one of the values, the first if the option is not set. Case is ignored."""
        known = list(values)
        if name not in self:
            return known[0]
        found = self.value(name).lower()
        if found not in known:
            self.refuse(name, self.value(name), "write " + " or ".join(f'"{value}"' for value in known))
        return found

    def boolean(self, name: str, default: bool) -> bool:
        """Return whether the value is "true"."""
        return self.one_of(name, ("true", "false") if default else ("false", "true")) == "true"

    def integer(self, name: str, default: int, least: int, most: int) -> int:
        """Return a whole number from `least` to `most`."""
        if name not in self:
            return default
        value = self.value(name)
        if not re.fullmatch(r"[+-]?[0-9]{1,20}", value) or not least <= int(value) <= most:
            self.refuse(name, value, f"write a whole number from {least} to {most}")
        return int(value)

    def duration(self, name: str, least: int = 0) -> int | None:
        """Return a duration (ms) of at least `least`, None if the option is not set."""
        if name not in self:
            return None
        value = self.value(name)
        try:
            milliseconds = parse_duration(value)
        except ValueError as error:
            self.refuse(name, value, f'it {error}; write for example "30 seconds" or "500ms"')
        if not least <= milliseconds <= MAX:
            self.refuse(name, value, f"write a duration from {least} to {MAX} milliseconds")
        return milliseconds

    def by_subtask(self, name: str, count: int) -> dict[int, str]:
        """Return the options "name.<index>", by index, which has to be less than `count`."""
        prefix = f"{name.lower()}."
        found = {}
        for written, value in self._values.items():
            if not written.startswith(prefix):
                continue
            index = written.removeprefix(prefix)
            if not re.fullmatch(r"0|[1-9][0-9]{0,5}", index) or int(index) >= count:
                self.refuse(
                    f"{name}.{index}",
                    value,
                    f"the subtasks are 0 to {count - 1}; correct the index or raise numSubtasks",
                )
            found[int(index)] = value
        return found

    def require(self, present: str, missing: str) -> None:
        """Reject the option `present` if it is set without `missing`."""
        if present in self and missing not in self:
            self.refuse(present, self.value(present), f"set {missing} as well, or leave {present} out")

    def refuse(self, name: str, value: str, remedy: str) -> NoReturn:
        """Raise `IllegalOptionError` in one line: option, value, remedy."""
        raise IllegalOptionError(f"option {self._spelling(name)} = {shown_value(name, value)!r}: {remedy}")
