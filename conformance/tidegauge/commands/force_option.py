"""The option `--force` of commands that write into a folder."""

from typing import Annotated

import typer

Force = Annotated[
    bool,
    typer.Option("--force", help="Write into a folder of others, and replace files of the same names there."),
]
