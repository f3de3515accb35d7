"""`python -m tidegauge_reports.shipped FOLDER...`: runs become the verdicts that come with Tidegauge.

FOLDER is what `tidegauge run --out` wrote, or its `results.json`. The document goes beside this module.
"""

import sys
from pathlib import Path

from tidegauge.wire.results import FILE_NAME, read_results
from tidegauge.wire.scenario import BadInput

from . import encode_shipped, engine_name


def main(places: list[str]) -> int:
    """Ship the runs at these places; 2 if one of them is no run, or none is named."""
    if not places:
        print("which runs? python -m tidegauge_reports.shipped FOLDER...", file=sys.stderr)
        return 2
    for place in map(Path, places):
        try:
            results = read_results(place / FILE_NAME if place.is_dir() else place)
            path = Path(__file__).parent / f"{engine_name(results)}.json"
        except BadInput as problem:
            print(problem, file=sys.stderr)
            return 2
        document = encode_shipped(results)
        path.write_bytes(document)
        print(f"{path.name}: {len(results.rules)} rules, {len(document):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
