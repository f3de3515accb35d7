"""A headless Chromium for the tests that look at pages as people do.

Test modules import the fixtures they use from here: `chromium`, `page`.
"""

from __future__ import annotations

import colorsys
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Dialog,
    Page,
    Request,
    Route,
    sync_playwright,
)

NO_BROWSER = (
    "{}: run .ci/chromium, which installs Debian's, or name the executable in the variable TIDEGAUGE_CHROMIUM"
)
ADDRESS = "http://tidegauge.test/"
WIDTHS = (1280, 390)
MARK = "tidegauge_harm"
"""The global that a payload sets if it runs."""

RUN = f"window.{MARK}=1"
PAYLOADS: dict[str, str] = {
    "script": f"\"'></title></style></textarea></svg>--><script>{RUN}</script>",
    "handlers": f'x" onmouseover="{RUN}" onfocus="{RUN}" autofocus="<img src=x onerror={RUN}><svg onload={RUN}>',
    "more handlers": f"' ontoggle='{RUN}' <details open ontoggle={RUN}><body onload={RUN}><input onfocus={RUN} autofocus>",
    "javascript link": f"javascript:{RUN}",
    "data link": f"data:text/html,<script>parent.{MARK}=1</script>",
    "disguised link": f"\x01 jAva\tscri\npt:{RUN}",
    "link that breaks out": f'https://evil.example/"onmouseover="{RUN}"><script>{RUN}</script>',
    "markdown": f"[x](javascript:{RUN}) ![i](http://evil.example/i.png) `<script>{RUN}</script>` <https://evil.example>",
    "resources": "<img src=http://evil.example/i.png><link rel=stylesheet href=//evil.example/a.css><iframe src=//evil.example>"
    "<meta http-equiv=refresh content='0;url=http://evil.example'><base href=http://evil.example/>"
    "<form action=http://evil.example><object data=//evil.example>",
    "styles": "</style><style>*{display:none !important}</style> url(http://evil.example) @import '//evil.example' ;}*{position:fixed}",
    "unfinished": "<!-- <plaintext> <xmp> <![CDATA[ <noscript> <template> </main></body></html> </details></table></ul>",
    "templates": "{{ 7 * 7 }} {% raw %} ${7*7} #{7*7} <%= 7*7 %> &lt;b&gt; &#x3c;script&#x3e;",
    "control characters": "".join(map(chr, [*range(32), *range(127, 160)]))
    + "\x1b[31mred\x1b]0;title\x07\r\n",
    "bidi marks": "a\u202eb\u2066c\u200ed\u061ce\u2028f\ufeffg\ufffe\uffff",
    "halves of pairs": "\ud800 \udfff \udc00\ud800",
    "one long word": "W" * 6000,
    "one long number": "9" * 6000 + ", " + "٣" * 2000,
    "piled marks": ("Z" + "\u0336\u0489\u0300" * 8) * 60 + "Z" + "\u0336\u0489\u0300" * 400,
    "megabytes": "<b>" * 700_000,
    "lines": "line\n" * 4000,
}
"""What an engine, an adapter, a file or a rule may say; what runs sets the global `MARK`."""

TRIED_FIRST = ("script",)
"""The others are tried in the slower tier."""

_BIDI = "[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"


def chromium_executable() -> str:
    """Where Chromium is. A test that needs it where there is none ends with one line that says what to do."""
    named = os.environ.get("TIDEGAUGE_CHROMIUM")
    if named and not shutil.which(named):
        pytest.fail(NO_BROWSER.format(f"TIDEGAUGE_CHROMIUM: {named} cannot be run"), pytrace=False)
    found = named or shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        pytest.fail(NO_BROWSER.format("no Chromium found"), pytrace=False)
    return found


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """The browser, one for each module of tests: Playwright does not start twice at a time, and as long as it
    runs no other event loop does."""
    executable = chromium_executable()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        yield browser
        browser.close()


@dataclass
class Seen:
    """What a page did that no page of ours does: requests that leave it, dialogs, windows, errors of its
    scripts and complaints of the browser."""

    requests: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)
    windows: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def nothing(self) -> bool:
        """Whether it did none of it."""
        return not (self.requests or self.dialogs or self.windows or self.errors)


@contextmanager
def opened(browser: Browser, **options: Any) -> Iterator[tuple[Page, Seen]]:
    """A page in a context of its own, without network, and what is seen of it. On the disk it may read the
    files it is sent to, and no others."""
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, "offline": True, **options})
    page, seen = context.new_page(), Seen()
    with watched(page, seen):
        page.on("request", lambda request: _note_request(request, seen))
        yield page, seen
    context.close()


def _note_request(request: Request, seen: Seen) -> None:
    ours = request.url.startswith("file:") or request.url == ADDRESS
    if not (ours and request.is_navigation_request()):
        seen.requests.append(request.url)


@contextmanager
def watched(page: Page, seen: Seen) -> Iterator[None]:
    """What a page does, besides requests, is put down in `seen`."""

    def dialog(found: Dialog) -> None:
        seen.dialogs.append(found.message)
        found.dismiss()

    def console(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            seen.errors.append(message.text)

    listeners: dict[str, Callable[[Any], None]] = {
        "dialog": dialog,
        "popup": lambda other: seen.windows.append(other.url),
        "pageerror": lambda error: seen.errors.append(str(error)),
        "console": console,
    }
    for event, listener in listeners.items():
        page.on(event, listener)
    yield
    for event, listener in listeners.items():
        page.remove_listener(event, listener)


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    """A page that sends no request, opens no dialog and no window, and has no error."""
    with opened(chromium) as (found, seen):
        yield found
        assert seen.nothing(), seen


def assert_harmless(page: Page, html: str, kept: Sequence[str] = (), most_bytes: int = 2_000_000) -> None:
    """Nothing foreign in `html` runs, fetches, hides or moves anything, in windows of both `WIDTHS`; it has
    `kept` among its visible text and takes no more than `most_bytes`. `page` has to come from the fixture;
    scripts of the page itself may run, as far as they know nothing of `MARK`."""
    document = html.encode("utf-8")
    assert len(document) <= most_bytes, f"{len(document):,} bytes"
    seen = Seen()

    def answer(route: Route) -> None:
        if route.request.url == ADDRESS:
            route.fulfill(body=document, content_type="text/html; charset=utf-8")
        else:
            seen.requests.append(route.request.url)
            route.abort()

    page.route("**/*", answer)
    with watched(page, seen):
        page.set_viewport_size({"width": WIDTHS[0], "height": 900})
        page.goto(ADDRESS)
        page.evaluate(_WAKE)
        text = page.evaluate("document.body.innerText")
        assert page.evaluate(f"window.{MARK}") is None, "a payload ran"
        foreign = page.evaluate(_FOREIGN, MARK)
        assert not foreign, f"foreign parts: {foreign}"
        assert page.evaluate("document.querySelectorAll('h1').length") == 1, "the heading is broken"
        assert page.evaluate("document.querySelectorAll('body > main').length") == 1, "the page is torn open"
        assert not re.search(_BIDI, text), "a mark reorders the text"
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", text), "a control character shows"
        for expected in kept:
            assert expected in text, f"{expected!r} is no longer there"
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            wide = overflowing(page)
            assert not wide, f"wider than a window of {width} px: {wide}"
    page.unroute("**/*", answer)
    assert seen.nothing(), seen


def overflowing(page: Page) -> list[str]:
    """What is wider than the window and makes the whole page scroll, if it does; a few of the elements."""
    return page.evaluate(_OVERFLOWING)


def axe_violations(page: Page) -> list[str]:
    """What axe finds against WCAG 2.2 A and AA: each rule with the elements that break it. Its script comes
    with the package; nothing is fetched."""
    rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
    found = Axe().run(page, options={"runOnly": {"type": "tag", "values": rules}}).response
    assert found["passes"], "axe judged nothing"
    return [
        f"{violation['id']}: {violation['help']}: {json.dumps([node['html'][:200] for node in violation['nodes'][:4]])}"
        for violation in found["violations"]
    ]


def hues(page: Page, selector: str, look: str = "color") -> set[str]:
    """The hues that elements have in both themes: `red`, `green`, `violet`, or another one by its degrees.
    `look` is a property of CSS."""
    found = set()
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        for colour in page.locator(selector).evaluate_all(_COLOURS, look):
            red, green, blue = (int(part) / 255 for part in re.findall(r"\d+", colour)[:3])
            degrees = round(360 * colorsys.rgb_to_hls(red, green, blue)[0])
            found.add(
                next((name for name, within in _HUES.items() if degrees in within), f"{degrees} degrees")
            )
    return found


def take_pictures(page: Page, name: str, folder: Path) -> list[Path]:
    """Pictures of a page in both themes and both widths, the whole of it, `name` first in their names."""
    folder.mkdir(parents=True, exist_ok=True)
    taken = []
    for theme in ("light", "dark"):
        for width in WIDTHS:
            page.emulate_media(color_scheme=theme)
            page.set_viewport_size({"width": width, "height": 900})
            taken.append(folder / f"{name}-{theme}-{width}.png")
            page.screenshot(path=taken[-1], full_page=True)
    return taken


def picture_folder(root: Path) -> Path:
    """Where tests leave their pictures."""
    return Path(os.environ.get("TIDEGAUGE_SCREENSHOTS") or root / "screenshots")


_WAKE = """async () => {
  document.querySelectorAll("details").forEach((part) => { part.open = true; });
  for (const part of [...document.querySelectorAll("body, body *")].slice(0, 20000)) {
    for (const event of ["mouseover", "focus", "toggle", "load", "error", "animationstart"]) {
      part.dispatchEvent(new Event(event));
    }
  }
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
}"""

_FOREIGN = """(mark) => {
  const found = [];
  const addresses = ["href", "src", "action", "formaction", "data", "xlink:href", "srcset", "poster", "srcdoc", "ping"];
  for (const part of document.querySelectorAll("*")) {
    const said = `<${part.localName}>`;
    const active = ["iframe", "object", "embed", "img", "link", "base", "frame", "meta", "form", "plaintext", "xmp"];
    const own = ["script", "style", "xmp", "plaintext"].includes(part.localName) ? part : part.cloneNode(false);
    if ((active.includes(part.localName) || own === part) && /MARK|evil\\.example/.test(own.outerHTML.replaceAll(mark, "MARK"))) {
      found.push(`${said} of the payload`);
    }
    for (const { name, value } of part.attributes) {
      if (name.startsWith("on")) {
        found.push(`${said} ${name}`);
      } else if (addresses.includes(name) && !/^(#|https?:\\/\\/|[\\w./-]*(#|$))/.test(value)) {
        found.push(`${said} ${name}=${value.slice(0, 60)}`);
      }
    }
  }
  return found.slice(0, 10);
}"""

_HUES = {"red": (*range(345, 361), *range(25)), "green": range(110, 160), "violet": range(240, 275)}

_COLOURS = "(parts, look) => parts.map((part) => getComputedStyle(part)[look])"

_OVERFLOWING = """() => {
  const root = document.documentElement;
  if (root.scrollWidth <= root.clientWidth) {
    return [];
  }
  const wide = [...document.body.querySelectorAll("*")]
    .filter((part) => part.getBoundingClientRect().right > root.clientWidth + 1)
    .filter((part) => !part.parentElement.closest(".scroll, pre"));
  return [`${root.scrollWidth} > ${root.clientWidth}`, ...wide.slice(-5).map((part) => part.outerHTML.slice(0, 160))];
}"""
