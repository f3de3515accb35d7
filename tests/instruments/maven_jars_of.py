"""The jars of an engine that come from Maven, for the tests that require them."""

from pathlib import Path

import pytest

from tidegauge_adapters.maven_jars import MavenJars


def folder_with(jars: MavenJars) -> Path:
    """Return the folder that contains the jars. Without them, the test fails with the command that fetches
    them."""
    try:
        return jars.locate({})
    except ValueError as error:
        pytest.fail(f"{error}; tox -e {jars.engine} fetches them, too", pytrace=False)
