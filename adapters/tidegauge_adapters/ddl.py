"""Schemas written as DDL, such as "user string, at timestamp", read without a session of Spark."""

from __future__ import annotations

import re

from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    ShortType,
    StringType,
    StructType,
    TimestampNTZType,
    TimestampType,
)

_PLAIN: dict[str, DataType] = {
    "string": StringType(),
    "boolean": BooleanType(),
    "tinyint": ByteType(),
    "byte": ByteType(),
    "smallint": ShortType(),
    "short": ShortType(),
    "int": IntegerType(),
    "integer": IntegerType(),
    "bigint": LongType(),
    "long": LongType(),
    "float": FloatType(),
    "real": FloatType(),
    "double": DoubleType(),
    "date": DateType(),
    "timestamp": TimestampType(),
    "timestamp_ltz": TimestampType(),
    "timestamp_ntz": TimestampNTZType(),
    "binary": BinaryType(),
    "decimal": DecimalType(),
    "dec": DecimalType(),
    "numeric": DecimalType(),
}

_TOKEN = re.compile(r"\s*(`[^`]*`|\w+|[<>(),:])")


class UnreadableSchema(ValueError):
    """A text is not a schema."""


def schema_of(schema: StructType | str) -> StructType:
    """Return a schema as a `StructType`.

    Raises `UnreadableSchema` for a text that is not DDL, with the place.
    """
    if isinstance(schema, StructType):
        return schema
    if not isinstance(schema, str):
        raise UnreadableSchema(
            f"{schema!r} is not a schema; give a StructType, or DDL: 'user string, at timestamp'"
        )
    return _Reader(schema).columns()


class _Reader:
    """Reads the tokens of one schema from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def columns(self) -> StructType:
        schema = self._fields(end="")
        if self._peek():
            raise self._problem("a comma or the end")
        return schema

    def _fields(self, end: str) -> StructType:
        schema = StructType()
        while self._peek() not in ("", end) or not schema.names:
            name = self._name()
            if self._peek() == ":":
                self._next()
            kind = self._type()
            nullable = not self._skipped("not", "null")
            self._comment()
            schema.add(name, kind, nullable)
            if self._peek() != ",":
                break
            self._next()
        return schema

    def _type(self) -> DataType:
        word = self._next().lower()
        if word == "array":
            self._expect("<")
            return ArrayType(self._closed(self._type()))
        if word == "map":
            self._expect("<")
            keys = self._type()
            self._expect(",")
            return MapType(keys, self._closed(self._type()))
        if word == "struct":
            self._expect("<")
            fields = self._fields(end=">")
            self._expect(">")
            return fields
        if word in ("decimal", "dec", "numeric") and self._peek() == "(":
            return self._decimal()
        if word not in _PLAIN:
            raise self._problem("a type such as string, long, double, timestamp or array<long>")
        return _PLAIN[word]

    def _decimal(self) -> DecimalType:
        self._expect("(")
        precision, scale = int(self._number()), 0
        if self._peek() == ",":
            self._next()
            scale = int(self._number())
        self._expect(")")
        return DecimalType(precision, scale)

    def _closed(self, kind: DataType) -> DataType:
        self._expect(">")
        return kind

    def _name(self) -> str:
        word = self._next()
        if not word or word in "<>(),:":
            raise self._problem("the name of a column")
        return word.strip("`")

    def _number(self) -> str:
        word = self._next()
        if not word.isdigit():
            raise self._problem("a number")
        return word

    def _comment(self) -> None:
        if self._peek().lower() == "comment":
            quoted = re.compile(r"\s*comment\s*('[^']*'|\"[^\"]*\")", re.IGNORECASE).match(
                self._text, self._at
            )
            if quoted is None:
                raise self._problem("a quoted comment")
            self._at = quoted.end()

    def _skipped(self, *words: str) -> bool:
        if self._peek().lower() != words[0]:
            return False
        for word in words:
            self._expect(word)
        return True

    def _expect(self, token: str) -> None:
        if self._next().lower() != token:
            raise self._problem(repr(token))

    def _peek(self) -> str:
        token = _TOKEN.match(self._text, self._at)
        return token.group(1) if token else ("" if not self._text[self._at :].strip() else "?")

    def _next(self) -> str:
        self._before = self._at
        token = _TOKEN.match(self._text, self._at)
        if token is None:
            return ""
        self._at = token.end()
        return token.group(1)

    def _problem(self, wanted: str) -> UnreadableSchema:
        place = self._text[getattr(self, "_before", 0) :].strip() or "the end"
        return UnreadableSchema(f"the schema {self._text!r} has {place!r} where {wanted} is expected")
