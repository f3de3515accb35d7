"""Is there a Java that an engine can run on? Asked before anything is run."""

import os
import re
import shutil
import subprocess
from functools import lru_cache

OLDEST = 17
_SECONDS = 60


def require_java(engine: str, instead: str = "") -> str:
    """The Java that is JAVA_HOME's, or the one on the PATH. Raises `ValueError`, in one line with the remedy,
    unless there is one that is new enough; `instead`: what runs without Java."""
    java, problem = _found(os.environ.get("JAVA_HOME"), os.environ.get("PATH"))
    if problem:
        raise ValueError(
            f"{engine} needs Java {OLDEST} or later, but {problem}; install one (Debian, Ubuntu: apt-get "
            f"install openjdk-{OLDEST}-jre-headless; others: https://adoptium.net)"
            + (f", or run without Java: {instead}" if instead else "")
        )
    return java


@lru_cache(maxsize=4)
def _found(home: str | None, path: str | None) -> tuple[str, str]:
    """The Java that is taken, and what is wrong with it."""
    java = os.path.join(home, "bin", "java") if home else shutil.which("java", path=path)
    if java is None:
        return "", "there is no java on the PATH and JAVA_HOME is not set"
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
        return java, f"{java} does not run ({getattr(error, 'strerror', None) or 'no answer'})"
    version = re.search(rb'version "(?:1\.)?(\d+)[^"]*"', answer.stdout)
    if version is None:
        return java, f"{java} -version does not tell its version"
    return java, f"{java} is version {int(version[1])}" if int(version[1]) < OLDEST else ""
