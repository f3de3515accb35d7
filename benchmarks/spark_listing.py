"""Benchmark: cost of listing a folder of many small files in the driver of the aligned source, by layout.

`python benchmarks/spark_listing.py [--files 100000] [--endpoint URL --bucket NAME]` prints the median
processor time of five listings. With an endpoint the folders `sub` and `part` of a bucket are listed, which
must hold such files; credentials and region come from the environment.
"""

import argparse
import statistics
import tempfile
import time
from pathlib import Path
from typing import Final

from tidegauge_spark.places.s3 import FROM_ENVIRONMENT, S3Settings
from tidegauge_spark.source.files.folder.log_files import LogFolder
from tidegauge_spark.source.options.layout import COLUMNS, ONE_SPLIT, PART_NUMBER, SUB_FOLDERS, Layout

LISTINGS: Final = 5
LAYOUTS: Final = {
    "sub": (SUB_FOLDERS,),
    "part": (
        Layout(ONE_SPLIT, (), by_modification=True),
        Layout(COLUMNS, ("region",), by_modification=True),
        Layout(PART_NUMBER, (), by_modification=True),
    ),
}
"""The layouts of each folder."""


def write(root: Path, files: int) -> None:
    """Write empty files: 20 splits in separate folders, and 200 folders of partition columns."""
    for split in range(20):
        folder = root / "sub" / f"split-{split:02}"
        folder.mkdir(parents=True)
        for number in range(files // 20):
            (folder / f"{number:08}.parquet").touch()
    for day in range(20):
        for region in range(10):
            folder = root / "part" / f"day=2026-01-{day + 1:02}" / f"region=r{region}"
            folder.mkdir(parents=True)
            for number in range(files // 200):
                (folder / f"part-{number:05}-0b5d3a3e-aaaa-bbbb-cccc-{number:012}.snappy.parquet").touch()


def measure(path: str, layout: Layout, s3: S3Settings) -> str:
    """List a folder several times and return the processor times."""
    folder = LogFolder(path, layout, s3)
    files = sum(len(split.names) for split in folder.list().values())
    seconds = []
    for _ in range(LISTINGS):
        begun = time.process_time()
        folder.list()
        seconds.append(time.process_time() - begun)
    return f"{files:8,} files  {statistics.median(seconds):6.2f} s  {layout}"


def main() -> None:
    """Measure all layouts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--endpoint")
    parser.add_argument("--bucket")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as written:
        root, s3 = written, FROM_ENVIRONMENT
        if given.endpoint is None:
            write(Path(written), given.files)
        else:
            root, s3 = f"s3://{given.bucket}", S3Settings(endpoint=given.endpoint)
        for folder, layouts in LAYOUTS.items():
            for layout in layouts:
                print(measure(f"{root}/{folder}", layout, s3), flush=True)


if __name__ == "__main__":
    main()
