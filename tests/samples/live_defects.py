"""The live defects of Apache Flink 2.3.0 that a run under `core` names; `adapters/flink_defects` shows them in Java."""

NAMED_SOON = {
    "FLINK-22926",
    "FLINK-38477",
    "FLINK-39586",
    "FLINK-40093",
    "FLINK-40475a",
    "FLINK-40475b",
    "FLINK-40499",
    "FLINK-40504",
    "flink-idle-timeouts-nest",
    "flink-names-collide",
}
"""Those that the diagnosis names at the smallest budget."""

NAMED = NAMED_SOON | {"flink-split-finished-while-paused"}
"""Those that it names at the default budget."""
