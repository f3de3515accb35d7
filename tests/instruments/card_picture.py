"""The failure of the README, as a picture on a light and on a dark ground.

    PYTHONPATH=tests/reports/browser python tests/instruments/card_picture.py tidegauge-results/report.html reports/card

takes it from the report of a run: the first counterexample, down to the end of the drawing.
"""

from __future__ import annotations

import sys
from pathlib import Path

from browser import chromium_executable
from playwright.sync_api import Page, sync_playwright

_WIDTH, _MARGIN = 800, 6


def picture_of_a_failure(page: Page, report: Path, theme: str, into: Path) -> None:
    """Write `failure-THEME.png`: the first counterexample, without the part below its drawing."""
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    page.goto(report.resolve().as_uri())
    card = page.locator(".first").bounding_box()
    drawing = page.locator(".first .counterexample svg").first.bounding_box()
    assert card is not None
    assert drawing is not None
    bottom = drawing["y"] + drawing["height"] + 2 * _MARGIN
    clip = {
        "x": card["x"] - _MARGIN,
        "y": card["y"] - _MARGIN,
        "width": card["width"] + 2 * _MARGIN,
        "height": bottom - card["y"] + _MARGIN,
    }
    into.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=into / f"failure-{theme}.png", full_page=True, clip=clip)


if __name__ == "__main__":
    written, folder = sys.argv[1:]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_executable(), args=["--no-sandbox"])
        for ground in ("light", "dark"):
            with browser.new_page(viewport={"width": _WIDTH, "height": 900}) as tab:
                picture_of_a_failure(tab, Path(written), ground, Path(folder))
        browser.close()
