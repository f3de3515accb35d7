"""Pairs of similar names that engines confuse: they differ only in case, length, one part, or the encoding of
their characters."""

from collections.abc import Mapping

Pair = tuple[str, str]


def _of_one_prefix(length: int) -> Pair:
    """Return two names with a common prefix of this length."""
    prefix = ("orders-" * length)[:length]
    return f"{prefix}a", f"{prefix}b"


def _of_one_suffix(length: int) -> Pair:
    """Return two names with a common suffix of this length."""
    suffix = ("-orders" * length)[-length:]
    return f"a{suffix}", f"b{suffix}"


ALIKE: Mapping[str, Pair] = {
    "case": ("orders", "Orders"),
    "blank behind": ("orders", "orders "),
    "prefix of 8": _of_one_prefix(8),
    "normal forms": ("b\u00e4r", "ba\u0308r"),
    "first part": ("shop/orders", "shop/payments"),
    "last part": ("shop/orders", "bank/orders"),
    "slash": ("a/b", "ab"),
    "prefix of 64": _of_one_prefix(64),
    "blank before": ("orders", " orders"),
    "underscore": ("a_b", "a-b"),
    "leading zero": ("01", "1"),
    "hash in Java": ("AaAa", "BBBB"),
    "capitals": ("ORDERS", "orders"),
    "prefix of 32": _of_one_prefix(32),
    "dot": ("a.b", "a-b"),
    "accent": ("b\u00e4r", "bar"),
    "prefix of 16": _of_one_prefix(16),
    "longer": ("orders", "orders1"),
    "suffix of 8": _of_one_suffix(8),
    "order": ("10", "9"),
    "sharp s": ("stra\u00dfe", "strasse"),
    "one letter": ("\u0131", "i"),
    "capital with a dot": ("\u0130", "I"),
    "compatible forms": ("\ufb01le", "file"),
    "full width": ("\uff41", "a"),
    "two blanks": ("a b", "a  b"),
    "no-break blank": ("a b", "a\u00a0b"),
    "blank": ("a b", "ab"),
    "escape": ("a%2Fb", "a/b"),
    "plus": ("a+b", "a b"),
    "numbered": ("a/0", "a"),
    "last slash": ("a/", "a"),
    "null": ("null", "None"),
    "true": ("true", "True"),
    "fraction": ("1.0", "1"),
    "exponent": ("1e1", "10"),
    "sign": ("+1", "1"),
    "negative": ("-1", "1"),
    "quotes": ('"a"', "a"),
    "pattern": ("a_c", "abc"),
    "wildcard": ("a*", "ab"),
    "scripts": ("\u65e5", "\u672c"),
    "question marks": ("\u00e9", "\u00e8"),
    "beyond 16 bits": ("\U0001f600", "\U0001f601"),
    "invisible": ("a\u200bb", "ab"),
    "length": ("abc", "xyz"),
    "suffix of 32": _of_one_suffix(32),
    "prefix of 128": _of_one_prefix(128),
    "prefix of 199": _of_one_prefix(199),
    "prefix of 255": _of_one_prefix(255),
    "longest": ("orders-" * 32, "orders-" * 31),
}
"""Pairs of different names, by the reason why an engine may confuse them. The first pairs are the most often
confused."""

EMPTY: Mapping[str, Pair] = {"empty": ("", " "), "no name": ("", "null")}
"""Pairs with an empty name, for namespaces in which it is legal."""
