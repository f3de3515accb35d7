"""Whatever an engine, an adapter or a file says: in a browser it neither runs nor breaks the report."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from browser import MARK, PAYLOADS, TRIED_FIRST, assert_harmless, chromium, opened, page  # noqa: F401
from hostile_results import hostile_results
from playwright.sync_api import Browser, Page
from report_samples import job_picture, results, rule

from tidegauge.wire.results import Results, decode_results, encode_results
from tidegauge.wire.scenario import BadInput
from tidegauge_reports.compliance.html import render


def saying(payload: str) -> Results:
    """A run with something in every section, in which all texts are the payload."""
    jobs = [job_picture(job=payload), job_picture(False, job=payload)]
    found = msgspec.structs.replace(hostile_results(payload), jobs=jobs)
    links = msgspec.structs.replace(rule(90), sources=[payload, f"https://{payload}"], vectors=[payload])
    return msgspec.structs.replace(found, rules=[*found.rules, links, rule(91, "fail"), rule(92)])


@pytest.mark.parametrize(
    "payload",
    [
        pytest.param(text, id=name, marks=() if name in TRIED_FIRST else pytest.mark.slower)
        for name, text in PAYLOADS.items()
    ],
)
def test_what_is_hostile_does_no_harm_to_the_report(payload: str, page: Page) -> None:  # noqa: F811
    assert_harmless(
        page,
        render(saying(payload)),
        kept=(
            "TIDEGAUGE COMPLIANCE REPORT",
            "VALVE-91",
            "Title of rule 92",
            "Known deviations",
            "Properties",
            "Test items",
            "What was tested, and how",
            "Made by Tidegauge",
        ),
    )


@pytest.mark.parametrize(
    "torn",
    [
        f"<script>window.{MARK}=1</script>",
        f"<b onmouseover='window.{MARK}=1'>x</b>",
        f"<a href=' javascript:window.{MARK}=1'>x</a>",
        "<img src='http://evil.example/i.png'>",
        "\u202ex",
        "\x1b[31m",
        f"<p style='width: 4000px'>{'x' * 40}</p>",
        "<h1>again</h1>",
    ],
)
def test_harm_is_noticed(torn: str, chromium: Browser) -> None:  # noqa: F811
    harmed = f"<!doctype html><title>t</title><main><h1>t</h1>{torn}kept</main>"
    with opened(chromium) as (page, _), pytest.raises(AssertionError):  # noqa: F811
        assert_harmless(page, harmed, kept=("kept",))


def test_a_page_that_lacks_what_was_around_the_payload_is_noticed(page: Page) -> None:  # noqa: F811
    with pytest.raises(AssertionError, match="no longer there"):
        assert_harmless(page, "<!doctype html><main><h1>t</h1></main>", kept=("kept",))
    with pytest.raises(AssertionError, match="bytes"):
        assert_harmless(page, "<!doctype html><main><h1>t</h1></main>", most_bytes=10)


@pytest.mark.parametrize("broken", [b"\xff\xfe", b"\xc3(", b"\\ud800", b"\\udc00\\ud800", b"\x00"])
def test_a_document_that_is_not_text_is_refused_in_one_line(broken: bytes, tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_bytes(encode_results(results()).replace(b"sample-engine", broken))
    with pytest.raises(BadInput) as refused:
        decode_results(path.read_bytes(), str(path))
    assert str(path) in str(refused.value)
    assert len(str(refused.value).splitlines()) == 1
