"""Names, numbers and columns that commands, campaigns and their documentation share."""

from typing import Final

SCENARIOS: Final = "scenarios"
"""The folder of the rows, inside that of the results."""

SPECIFICATION: Final = "campaign.json"
"""The file that says what the campaign in a folder is about."""

BATCH: Final = 1_000
"""Scenarios that an engine's process is given at once."""

SMALLEST_CHUNK: Final = 4_000
"""Scenarios of a chunk, as of an item of a run; more, if there would be too many chunks."""

MOST_CHUNKS: Final = 2_000
"""Chunks of one component, at most."""

IN_FULL: Final = 200_000
"""Of so many scenarios of a component, the first ones, it is kept which of them agree: the evidence on which
passes rest. More would not fit into one process."""

MOST_IN_PROCESS: Final = 2_000_000
"""Without `--master`, a campaign of more scenarios runs on Spark if PySpark is installed."""
