"""What a first answer costs: the processor time of whole runs of one component at the smoke budget.

Every figure is the processor time (user and system) of a command with all processes that it starts, the
least of some rounds. The last column divides it by the time that an empty Python takes, which says more about
another machine than seconds do. Measure in an environment that has the wheel: an editable installation is
slower, since Hypothesis then reads the modules of the kit for constants.
"""

import argparse
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

_EXAMPLES = Path(__file__).parent.parent / "examples"
_TIDEGAUGE = [sys.executable, "-m", "tidegauge"]
_SMOKE = ["--budget", "smoke"]
_COLLECT = ["-m", "pytest", "--assert", "plain", "--collect-only", "-q", "--pyargs", "tidegauge.run.suites"]


def processor_seconds(command: list[str], folder: Path) -> float:
    """The processor time (s) of a command with all its processes. Its exit code does not count."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def commands() -> dict[str, list[str]]:
    """What is measured, by what it is called: start-up first."""
    run = [*_TIDEGAUGE, "run", *_SMOKE]
    session = [
        "--tidegauge-adapter",
        "reference",
        "--tidegauge-component",
        "valve",
        "--tidegauge-budget",
        "smoke",
    ]
    found = {
        "an empty Python": [sys.executable, "-c", ""],
        "start-up: the command line": [*_TIDEGAUGE, "adapters"],
        "start-up: a session that only collects": [sys.executable, *_COLLECT, *session],
        "a valve that does nothing": [*run, "--adapter", "engine:Engine"],
        "a valve that does nothing, --fail-fast": [*run, "--adapter", "engine:Engine", "--fail-fast"],
        "the reference: valve": [*run, "--adapter", "reference", "--component", "valve"],
        "the reference: clock": [*run, "--adapter", "reference", "--component", "clock"],
    }
    for language, program, file in (("JavaScript", "node", "engine.js"), ("Java", "java", "Engine.java")):
        if shutil.which(program):
            started = f"{program} {shlex.quote(str(_EXAMPLES / language.lower() / file))}"
            for component in ("valve", "clock"):
                found[f"the sample in {language}: {component}"] = [
                    *run, "--command", started, "--component", component,
                ]  # fmt: skip
    return found


def main() -> None:
    """Print a line for each command: seconds of processor time, and how many empty Pythons that is."""
    parser = argparse.ArgumentParser(description="What a first answer costs, in processor time.")
    parser.add_argument("--rounds", type=int, default=3, help="default: %(default)s")
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run([*_TIDEGAUGE, "init", "engine"], cwd=scratch, stdout=subprocess.DEVNULL, check=True)
        folder = Path(scratch) / "engine"
        print(f"{'':45}{'processor s':>12}{'empty Pythons':>15}")
        empty = 0.0
        for name, command in commands().items():
            least = min(processor_seconds(command, folder) for _ in range(rounds))
            empty = empty or least
            print(f"{name:45}{least:12.2f}{least / empty:15.0f}")


if __name__ == "__main__":
    main()
