"""The option `--json` of commands that show a document which they also write."""

from typing import Annotated

import typer

AsJson = Annotated[
    bool,
    typer.Option("--json", help="Print the results as JSON, as they are written, in place of the summary."),
]
