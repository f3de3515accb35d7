"""How long Chromium takes to open a report: from the start of the navigation until the page is loaded, laid
out and painted, as a multiple of an empty page.

What counts is the ratio, and on a quiet machine the seconds.
"""

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from browser import chromium_executable  # noqa: E402
from report_samples import many_failures  # noqa: E402

from tidegauge_reports.compliance.html import write  # noqa: E402

EMPTY = "<!doctype html><html lang='en'><title>empty</title><main><h1>Empty</h1></main></html>"
READY = """async () => {
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))));
  return performance.now();
}"""


def opening_ms(browser: Browser, page: Path) -> float:
    """Milliseconds from the start of the navigation until the second frame after the page was loaded."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    opened.goto(page.as_uri(), wait_until="load")
    taken = float(opened.evaluate(READY))
    context.close()
    return taken


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("reports", nargs="*", type=Path, help="reports; default: one of failing rules")
    parser.add_argument("--failures", type=int, default=5000, help="failing rules of that one")
    parser.add_argument("--rounds", type=int, default=7)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        empty = Path(folder, "empty.html")
        empty.write_text(EMPTY, encoding="utf-8")
        pages = chosen.reports or [write(many_failures(chosen.failures), Path(folder))]
        browser = playwright.chromium.launch(executable_path=chromium_executable(), args=["--no-sandbox"])
        opening_ms(browser, empty)
        print("| page | MB | opening ms (median) | least | most | empty pages |")
        print("|---|--:|--:|--:|--:|--:|")
        bare = statistics.median(opening_ms(browser, empty) for _ in range(chosen.rounds))
        for page in [empty, *pages]:
            taken = [opening_ms(browser, page.resolve()) for _ in range(chosen.rounds)]
            middle = statistics.median(taken)
            print(
                f"| {page.name} | {page.stat().st_size / 1e6:.2f} | {middle:.0f} "
                f"| {min(taken):.0f} | {max(taken):.0f} | {middle / bare:.1f} |"
            )
        browser.close()


if __name__ == "__main__":
    main()
