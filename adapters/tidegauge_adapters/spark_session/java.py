"""Is there a Java that Spark can run on? Asked before anything is run."""

import os
import re
import shutil
import subprocess
from functools import lru_cache

OLDEST = 17
_SECONDS = 60


def require_java() -> None:
    """Raise `ValueError`, in one line with the remedy, unless Spark will find a Java that is new enough."""
    problem = _problem(os.environ.get("JAVA_HOME"), os.environ.get("PATH"))
    if problem is not None:
        raise ValueError(
            f"Spark needs Java {OLDEST} or later, but {problem}; install one (Debian, Ubuntu: apt-get "
            f"install openjdk-{OLDEST}-jre-headless; others: https://adoptium.net), or run without Java: "
            "--option engine=tester"
        )


@lru_cache(maxsize=4)
def _problem(home: str | None, path: str | None) -> str | None:
    """What is wrong with the Java that Spark's start script takes: JAVA_HOME's, or the one on the PATH."""
    java = os.path.join(home, "bin", "java") if home else shutil.which("java", path=path)
    if java is None:
        return "there is no java on the PATH and JAVA_HOME is not set"
    try:
        answer = subprocess.run(
            [java, "-XX:-UsePerfData", "-version"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            timeout=_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{java} does not run ({getattr(error, 'strerror', None) or 'no answer'})"
    version = re.search(rb'version "(?:1\.)?(\d+)[^"]*"', answer.stdout)
    if version is None:
        return f"{java} -version does not tell its version"
    return f"{java} is version {int(version[1])}" if int(version[1]) < OLDEST else None
