"""The option `--json` of commands that can print the results document that they write."""

from typing import Annotated

import typer

AsJson = Annotated[
    bool,
    typer.Option("--json", help="Print the results document (JSON) instead of the summary."),
]
