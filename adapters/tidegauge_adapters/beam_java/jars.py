"""The jars of Apache Beam's Java SDK and direct runner.

`python -m tidegauge_adapters.beam_java.jars` fetches the jars and their dependencies with Maven.
"""

from collections.abc import Mapping
from pathlib import Path

from ..maven_jars import Download, MavenJars

VERSION = "2.73.0"
_POM = Path(__file__).with_name("pom.xml")

JARS = MavenJars(
    engine="beam-java",
    option="beam",
    downloads=(
        Download(
            jars=(f"beam-runners-direct-java-{VERSION}.jar", f"beam-sdks-java-core-{VERSION}.jar"),
            goal=(
                *("--file", str(_POM), f"-Dbeam.version={VERSION}"),
                *("dependency:copy-dependencies", "-DincludeScope=runtime"),
            ),
        ),
    ),
    size="65 MB",
)


def beam_class_path(options: Mapping[str, str]) -> Path:
    """Return the class path of all jars in the folder, as the JVM and the compiler accept it: `FOLDER/*`.

    Raises `ValueError` (see `MavenJars.locate`).
    """
    return JARS.locate(options) / "*"


if __name__ == "__main__":
    JARS.fetch_or_exit()
