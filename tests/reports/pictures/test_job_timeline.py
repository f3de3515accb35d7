"""The picture of a job: well-formed, with band and blocked spans, on scales that can be compared."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from importlib.resources import files

import msgspec
import pytest
from report_samples import job_picture, literal_picture

from tidegauge.components.job.job_property import JobRun
from tidegauge.components.job.jobs import JOBS, control
from tidegauge.components.job.log import JobLog
from tidegauge.components.job.one_run import state_bounded
from tidegauge.components.job.window_state import kept_within_drift
from tidegauge.judging.jobs.picture import picture
from tidegauge.wire.results import JobPicture, SubtaskPicture
from tidegauge.wire.vocabulary import LogEvent
from tidegauge_adapters.reference import ReferenceAdapter
from tidegauge_reports.compliance.jobs import job_views
from tidegauge_reports.jobs.scale import cut_above, polyline, scale
from tidegauge_reports.jobs.timeline import job_summary, job_timeline_svg
from tidegauge_reports.jobs.words import place
from tidegauge_reports.time_words import time_words

ADDED = ("state", "state_bound", "late", "late_records", "jumps")
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "\"'><script>alert(1)</script>&amp;\x00\x1b[31m\u202e\ud800"

WINDOWS = job_picture(
    job="window-state",
    state=[[0, 0], [20_000, 60], [20_000, 12], [60_000, 0]],
    state_bound=340,
    restarts=[12_000, 34_000],
)
WINDOWS_CONTROL = job_picture(False, job="window-state", state=[[0, 0], [6000, 1068], [60_000, 0]])
LATE = job_picture(late=[[16_000, 12_000], [16_000, 12_000], [16_000, 13_000], [10**9, 1]], late_records=1060)
STUCK = job_picture(
    subtasks=[
        SubtaskPicture("numbers", 0, [[10, 9], [5000, 4999], [180_000, 4999]], []),
        SubtaskPicture("numbers", 1, [[10, 99], [3500, 35_000], [180_000, 35_000]], [[3310, 180_000]]),
    ]
)
TWO_SOURCES = job_picture(
    job="two-groups",
    subtasks=[
        SubtaskPicture("apart", 0, [[10, 99], [6000, 59_999]], []),
        SubtaskPicture("slow", 0, [[10, 9], [60_000, 59_999]], []),
        SubtaskPicture(
            "slow", 1, [[10, 99], [6000, 36_000], [20_000, 50_000]], [[3310, 9000], [9500, 20_000]]
        ),
    ],
)
PICTURES: dict[str, tuple[JobPicture, ...]] = {
    "right": (job_picture(), job_picture(False)),
    "wrong": (job_picture(blocks=False), job_picture(False)),
    "control": (job_picture(False), job_picture()),
    "alone": (job_picture(),),
    "control alone": (job_picture(False),),
    "literal": (literal_picture(), literal_picture(False)),
    "literal control": (literal_picture(False), literal_picture()),
    "stuck": (STUCK, job_picture(False)),
    "two sources": (TWO_SOURCES,),
    "windows": (WINDOWS, WINDOWS_CONTROL),
    "windows of the control": (WINDOWS_CONTROL, WINDOWS),
    "windows that keep nothing": (job_picture(state=[[0, 0]]),),
    "late": (LATE,),
    "hostile names": (
        job_picture(job=HOSTILE, subtasks=[SubtaskPicture(HOSTILE, 0, [[0, 0], [9, 9]], [[1, 2]])]),
    ),
    "one point": (job_picture(subtasks=[SubtaskPicture("a", 0, [[5, 7]], [])], band=[[5, 7]]),),
    "since 1970": (
        job_picture(
            subtasks=[SubtaskPicture("a", 0, [[0, 1_700_000_000_000], [9000, 1_700_000_009_000]], [])]
        ),
    ),
    "before 1970": (job_picture(subtasks=[SubtaskPicture("a", 0, [[0, -9000], [9000, -1]], [])]),),
    "edges": (
        job_picture(
            drift=2**63 - 1,
            subtasks=[
                SubtaskPicture("a", 0, [[0, -(2**63)], [1, 2**63 - 1]], [[0, 2**63 - 1]]),
                SubtaskPicture("a", 1, [[0, 2**63 - 1]], []),
            ],
        ),
    ),
    "nonsense": (
        job_picture(
            drift=-5,
            overshoot=-(10**30),
            subtasks=[
                SubtaskPicture(
                    "a", -1, [[3, 1], [1, 2], [3, 9], [4], [], [10**40, 1]], [[5, 1], [1], [2, 9]]
                ),
                SubtaskPicture("b", 10**30, [], [[1, 2]]),
            ],
            band=[[9, 1], [1, 5], []],
            state=[[3, -4], [1], [2, 10**30], [2, 2**62], []],
            state_bound=-9,
            late=[[1], [3, 10**30], [2, 5]],
            late_records=-1,
            restarts=[-5, 10**30, 2],
        ),
    ),
}


def drawn(*pictures: JobPicture, outside: tuple[str, ...] = ()) -> ElementTree.Element:
    """The first picture, drawn beside the others, and read as XML."""
    return ElementTree.fromstring(job_timeline_svg(pictures[0], pictures[1:], outside))


def with_class(svg: ElementTree.Element, *names: str) -> list[ElementTree.Element]:
    """All elements that have all of these classes."""
    return [found for found in svg.iter() if set(names) <= set(found.get("class", "").split())]


def texts(svg: ElementTree.Element, *names: str) -> list[str]:
    """The texts of labels of a class."""
    return [found.text or "" for found in with_class(svg, "label", *names)]


@pytest.mark.parametrize("pictures", PICTURES.values(), ids=PICTURES.keys())
def test_it_is_one_well_formed_image_with_a_name_and_a_description(pictures: tuple[JobPicture, ...]) -> None:
    svg = drawn(*pictures)
    assert svg.tag == f"{SVG}svg"
    assert svg.get("role") == "img"
    assert all(svg.findtext(f"{SVG}{name}") for name in ("title", "desc"))
    written = ElementTree.tostring(svg, encoding="unicode")
    assert not re.search(r"[\" ](nan|inf|-inf|[0-9.]+e[+-]?[0-9]+)[\" ]", written)
    assert len(written) < 24_000


@pytest.mark.parametrize("pictures", PICTURES.values(), ids=PICTURES.keys())
def test_all_of_it_is_in_view(pictures: tuple[JobPicture, ...]) -> None:
    svg = drawn(*pictures)
    width, height = float(svg.get("width", 0)), float(svg.get("height", 0))
    for found in svg.iter(f"{SVG}text"):
        assert 0 <= float(found.get("x", -1)) <= width
        assert 0 < float(found.get("y", -1)) <= height
    for found in with_class(svg, "subtask"):
        numbers = [float(number) for number in re.findall(r"-?[0-9.]+", found.get("d", ""))]
        assert all(0 <= x <= width for x in numbers[::2])
        assert all(0 <= y <= height for y in numbers[1::2])


def test_the_same_results_give_the_same_picture() -> None:
    for pictures in PICTURES.values():
        first, *others = pictures
        assert job_timeline_svg(first, others) == job_timeline_svg(first, list(others))


def test_nothing_to_draw_gives_nothing() -> None:
    assert job_timeline_svg(job_picture(subtasks=[])) == ""
    assert job_timeline_svg(job_picture(subtasks=[SubtaskPicture("a", 0, [], [])]), [job_picture()]) == ""


def test_the_band_is_shaded_and_named() -> None:
    svg = drawn(*PICTURES["right"])
    assert len(with_class(svg, "band")) == 2  # in the plot and in the legend
    assert texts(svg, "band-text") == ["allowed band:", "slowest + 30 s"]
    assert "allowed band: smallest watermark + 30 s drift" in texts(svg, "faint")


def test_the_control_shows_the_bound_but_no_band() -> None:
    svg = drawn(*PICTURES["control"])
    assert with_class(svg, "band") == []
    assert len(with_class(svg, "bound", "absent")) == 2
    assert "not enforced" in texts(svg)
    assert with_class(drawn(job_picture(False)), "bound") == []


def test_blocked_spans_are_bars_and_thick_lines() -> None:
    svg = drawn(*PICTURES["right"])
    assert len(with_class(svg, "bar")) == 3
    assert len(with_class(svg, "blocked-line", "look-1")) == 1  # three that coincide
    assert texts(svg).count("from 3.3 s to 30 s") == 3
    assert texts(svg).count("never blocked") == 1
    control = drawn(*PICTURES["control"])
    assert with_class(control, "bar") == with_class(control, "blocked-line") == []
    assert texts(control).count("never blocked") == 4


def test_a_bar_stands_where_the_span_is() -> None:
    svg = drawn(*PICTURES["right"])
    ticks = [found for found in with_class(svg, "label", "faint") if found.get("text-anchor") == "middle"]
    at = {found.text: float(found.get("x", 0)) for found in ticks}
    bar = with_class(svg, "bar")[0]
    left, width = float(bar.get("x", 0)), float(bar.get("width", 0))
    second = (at["60"] - at["0"]) / 60
    assert left == pytest.approx(at["0"] + second * 3.31, abs=0.5)
    assert left + width == pytest.approx(at["30"], abs=0.5)


def test_subtasks_that_coincide_have_one_label_and_one_look() -> None:
    svg = drawn(*PICTURES["right"])
    assert texts(svg, "series", "look-0") == ["subtask 0"]
    assert texts(svg, "series", "look-1") == ["subtasks 1, 2, 3"]
    assert len(with_class(svg, "last", "look-0")) == 2
    style = files("tidegauge_reports").joinpath("jobs/timeline.css").read_text(encoding="utf-8")
    patterns = re.findall(r"subtask.look-(\d) \{ stroke-dasharray: ([^;]+);", style)
    assert len({pattern for _, pattern in patterns}) == 3


def test_a_picture_and_its_control_have_the_same_scales_and_looks() -> None:
    for name in ("right", "literal", "stuck"):
        first, second = PICTURES[name]
        places = [
            {(found.text, found.get("x"), found.get("y")) for found in with_class(svg, "label", "faint")}
            for svg in (drawn(first, second), drawn(second, first))
        ]
        ticks = [{place for place in found if re.fullmatch(r"[0-9]+", place[0] or "")} for found in places]
        assert ticks[0] == ticks[1]
        assert len(ticks[0]) >= 8


def test_subtasks_that_start_ages_apart_have_a_panel_of_their_own() -> None:
    for pictures in (PICTURES["literal"], PICTURES["literal control"]):
        svg = drawn(*pictures)
        assert {"event time from each one’s own start, s", "(73.1 million years or more later)"} < set(
            texts(svg)
        )
        assert texts(svg, "series") == ["subtask 0", "subtasks 1, 2, 3"]
    svg = drawn(*PICTURES["literal"])
    assert texts(svg).count("from 1 s to the end") == 3
    assert with_class(svg, "lead") == []
    assert job_summary(*literal_pair()).endswith(
        "Subtask 0 reads 24 s of event time. Subtasks 1, 2, 3 read 10 s of event time."
    )


def literal_pair() -> tuple[JobPicture, list[JobPicture]]:
    """The literal job and its control."""
    return literal_picture(), [literal_picture(False)]


def test_how_far_apart_subtasks_are_is_marked_and_whether_it_is_too_far() -> None:
    assert texts(drawn(*PICTURES["right"]), "strong") == ["30 s apart"]
    assert with_class(drawn(*PICTURES["right"]), "excess") == []
    wrong = drawn(*PICTURES["wrong"])
    assert texts(wrong, "strong", "excess")[1] == "40 s allowed"
    assert with_class(drawn(*PICTURES["control"]), "excess") == []


def test_a_subtask_that_ends_blocked_has_no_last_record() -> None:
    svg = drawn(STUCK)
    group = next(found for found in svg.iter(f"{SVG}g") if with_class(found, "blocked-line"))
    assert with_class(group, "last") == []
    assert job_summary(STUCK).startswith(
        "Subtask 0 is never blocked. Subtask 1 is blocked from 3.3 s to the end."
    )


def test_where_little_is_known_each_known_moment_is_shown() -> None:
    way = [[0, -1], [5000, 29_999], [10_000, 34_998]]
    svg = drawn(job_picture(subtasks=[SubtaskPicture("numbers", 0, way, [])], band=[]))
    assert len(with_class(svg, "known", "look-0")) == 3
    assert "as logged, straight between" in texts(svg)
    dense = drawn(job_picture(subtasks=job_picture().subtasks[:1]))
    assert with_class(dense, "known") == []


def test_subtasks_of_several_sources_are_told_apart() -> None:
    svg = drawn(TWO_SOURCES, outside=("apart",))
    assert set(texts(svg, "series")) == {"apart 0", "(other group)", "slow 0", "slow 1"}
    assert "2 times, 16.2 s in all" in texts(svg)
    assert "30 s drift" in job_summary(TWO_SOURCES, outside=("apart",))
    assert "53.9 s" not in job_summary(TWO_SOURCES, outside=("apart",))


def test_hostile_names_are_shown_as_text() -> None:
    svg = drawn(*PICTURES["hostile names"])
    assert list(svg.iter("script")) == list(svg.iter(f"{SVG}script")) == []
    title = svg.find(f"{SVG}title")
    assert title is not None
    assert title.text == "Job \"'><script>alert(1)</script>&amp;[31m, with alignment, drift 30 s"
    several = [SubtaskPicture(HOSTILE * 1000, 0, [[0, 0], [9, 9]], []), SubtaskPicture("b", 0, [[0, 0]], [])]
    assert len(job_timeline_svg(job_picture(subtasks=several))) < 12_000


def test_too_many_subtasks_are_counted() -> None:
    many = [SubtaskPicture("a", index, [[0, 0], [1000, index * 50]], []) for index in range(500)]
    svg = drawn(job_picture(subtasks=many))
    assert "and 476 more" in texts(svg)
    assert "476 more subtasks not drawn." in job_summary(job_picture(subtasks=many))


def test_the_colours_it_brings_along_are_those_of_the_page() -> None:
    style = files("tidegauge_reports").joinpath("pages/base.css").read_text(encoding="utf-8")
    light = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", style.split("@media")[0]))
    own = files("tidegauge_reports").joinpath("jobs/timeline.css").read_text(encoding="utf-8")
    assert not {"<", "&"} & set(own)
    brought = re.findall(r"var\(--([a-z-]+), (#[0-9a-f]{6})\)", own)
    assert brought
    assert all(light[name] == colour for name, colour in brought)


@pytest.mark.parametrize(
    ("time", "words"),
    [
        (0, "0 ms"),
        (999, "999 ms"),
        (1000, "1 s"),
        (3310, "3.3 s"),
        (30_010, "30 s"),
        (599_940, "599.9 s"),
        (900_000, "15 min"),
        (-2500, "−2.5 s"),
        (2**61, "73.1 million years"),
    ],
)
def test_times_in_words(time: int, words: str) -> None:
    assert time_words(time) == words


def test_values_beside_a_scale_are_round() -> None:
    assert [text for _, text in scale(0, 63_600, 0, 100).ticks(6)] == ["0", "20", "40", "60"]
    assert [text for _, text in scale(0, 900, 0, 100).ticks(6)] == ["0", "200", "400", "600", "800"]
    assert [text for _, text in scale(-3000, 3000, 0, 100).ticks(6)] == ["−3", "−2", "−1", "0", "1", "2", "3"]
    since = scale(10**12, 10**12 + 9000, 0, 100)
    assert since.origin == 10**12
    assert since.ticks(3)[0] == (10**12, "0")


def test_lines_are_made_simpler_and_cut_exactly() -> None:
    assert polyline([(0, 0), (1, 0.1), (2, 0), (3, 9)]) == [(0, 0), (2, 0), (3, 9)]
    assert polyline([(4, 4)]) == [(4, 4)]
    assert cut_above([(0, 0), (10, 20), (20, 0)], 10) == [(0, 0), (5, 10), (10, 10), (15, 10), (20, 0)]


def kept_most(svg: ElementTree.Element) -> float:
    """The height of the mark at the largest number of records kept."""
    return float(with_class(svg, "kept-most")[0].get("cy", 0))


def test_what_the_windows_keep_is_a_panel_on_the_same_scale_as_the_control() -> None:
    svg, control = drawn(WINDOWS, WINDOWS_CONTROL), drawn(WINDOWS_CONTROL, WINDOWS)
    for found in (svg, control):
        assert len(with_class(found, "kept")) == 1
        assert "records that the windows keep" in texts(found, "name")
        assert {"0", "500", "1000"} <= set(texts(found, "faint"))
    assert "at most 60 records" in texts(svg, "strong")
    assert "at most 1,068 records" in texts(control, "strong")
    assert kept_most(svg) - kept_most(control) == pytest.approx(84 * (1068 - 60) / (1068 * 1.2), abs=0.2)
    assert {"allowed: 340"} < set(texts(svg))
    assert "340 allowed with alignment" in texts(control)
    assert with_class(drawn(job_picture()), "kept") == []


def test_a_curve_of_many_points_is_drawn_to_its_end() -> None:
    saw = [[time * 100, 500 * (time % 2)] for time in range(601)]
    svg = drawn(job_picture(
        job="window-state", state=saw, state_bound=340,
        subtasks=[SubtaskPicture("numbers", 0, saw, [[0, 60_000]]), SubtaskPicture("numbers", 1, saw, [])],
        band=[[time, 2000 * (time // 100 % 2)] for time, _ in saw],
    ))  # fmt: skip
    ways = [found.get("d", "") for found in svg.iter(f"{SVG}path")]
    assert all(re.fullmatch(r"[MLHVhvlzZ\d .e-]+", way) for way in ways)
    assert [found.get("d", "").count("L") for found in with_class(svg, "kept")] == [600]
    assert with_class(svg, "band")[0].get("d", "").count("L") > 1000


def test_the_panel_of_the_windows_has_the_time_axis_of_the_plot() -> None:
    svg = drawn(WINDOWS)
    ticks = [found for found in with_class(svg, "label", "faint") if found.get("text-anchor") == "middle"]
    at = {found.text: float(found.get("x", 0)) for found in ticks}
    assert float(with_class(svg, "kept-most")[0].get("cx", 0)) == pytest.approx(at["20"], abs=0.1)
    strips = min(float(found.get("y", 0)) for found in with_class(svg, "bar"))
    lowest = max(
        float(number)
        for found in with_class(svg, "kept")
        for number in re.findall(r" ([0-9.]+)", found.get("d", ""))
    )
    assert lowest < strips


def test_more_than_the_windows_may_keep_is_marked() -> None:
    assert with_class(drawn(WINDOWS), "kept-most", "excess") == []
    wrong = job_picture(state=[[0, 0], [20_000, 341]], state_bound=340)
    assert texts(drawn(wrong), "strong", "excess") == ["at most 341 records"]
    allowed = job_picture(state=[[0, 0], [20_000, 340]], state_bound=340)
    assert with_class(drawn(allowed), "excess") == []


def test_the_summary_says_what_the_windows_keep() -> None:
    assert job_summary(WINDOWS, [WINDOWS_CONTROL]).endswith(
        "The windows keep at most 60 records (340 allowed), 1,068 without alignment."
    )
    assert job_summary(WINDOWS_CONTROL, [WINDOWS]).endswith(
        "The windows keep at most 1,068 records, 60 with alignment."
    )
    assert "as many without alignment" in job_summary(WINDOWS, [job_picture(False, state=[[0, 60]])])
    assert job_summary(WINDOWS_CONTROL).endswith("The windows keep at most 1,068 records.")
    assert "windows" not in job_summary(job_picture())


def test_late_records_are_crosses_where_they_came_and_are_counted() -> None:
    svg = drawn(LATE)
    assert (
        len(with_class(svg, "late")) == 3
    )  # two in the plot, two of one place and one too far off; the legend
    assert "record too late for its windows" in texts(svg)
    assert job_summary(LATE).endswith("1,060 records come too late for their windows.")
    assert with_class(drawn(job_picture()), "late") == []


def test_restarts_are_lines() -> None:
    svg = drawn(WINDOWS)
    assert len(with_class(svg, "restart")) == 3
    assert "stopped and started again" in texts(svg)


def test_where_records_jump_nothing_is_too_far_apart() -> None:
    assert with_class(drawn(*PICTURES["wrong"]), "lead", "excess")
    jumping = job_picture(blocks=False, jumps=True)
    assert with_class(drawn(jumping), "excess") == []
    assert "allowed" not in job_summary(jumping)


def test_every_job_of_the_suite_has_words() -> None:
    assert [name for name in JOBS if place(name) == place("no such job")] == []


@pytest.fixture(scope="module")
def window_state() -> list[JobPicture]:
    """The pictures of a job with windows, and of its control, as the reference runs them."""
    scenarios = JOBS["window-state"], control(JOBS["window-state"])
    adapter = ReferenceAdapter({})
    implementation = adapter.describe()
    runs = []
    for scenario, transcript in zip(scenarios, adapter.run(scenarios), strict=True):
        log = JobLog.of(scenario.setup, transcript.outputs[0])
        runs.append(JobRun(log, implementation.overshoot_ms, implementation.reaction_ms))
    for run, kept in zip(runs, (72, 981), strict=True):
        assert max(event.count for event in run.log.events if event.kind == "state-size") == kept
    return [picture(run) for run in runs]


def test_a_job_that_ran_has_the_curve_of_what_its_windows_keep(window_state: list[JobPicture]) -> None:
    aligned, control = window_state
    assert [max(size for _, size in found.state) for found in (aligned, control)] == [72, 981]
    assert [found.state_bound for found in (aligned, control)] == [340, None]
    assert all(20 < len(found.state) <= 162 for found in (aligned, control))
    assert all(found.state == sorted(found.state, key=lambda point: point[0]) for found in window_state)
    assert [found.state[-1] for found in window_state] == [[120_000, 0]] * 2
    assert [found.late for found in window_state] == [[], []]
    assert "72 records (340 allowed), 981 without alignment." in job_summary(aligned, [control])


def test_the_bound_is_the_one_that_is_judged() -> None:
    """A job that keeps one record more than the bound breaks the property, one that keeps so many does not."""
    setup = JOBS["window-state"].setup
    run = JobRun(JobLog.of(setup, []), 10_001, 1010)
    bound = kept_within_drift(run)

    def keeping(count: int) -> JobRun:
        event = LogEvent("state-size", "", 0, 0, 1000, count)
        return JobRun(JobLog.of(setup, [event]), 10_001, 1010)

    assert state_bounded(keeping(bound)) is None
    assert state_bounded(keeping(bound + 1)) is not None


def test_late_records_of_a_job_that_ran_and_records_that_jump() -> None:
    setup = JOBS["blocked-is-not-idle"].setup
    events = [LogEvent("record", "a", 0, 1_000_000, 10)]
    events += [LogEvent("late", "", 0, 1_000_000 + number, 16_000 - number, 2) for number in range(1000)]
    found = picture(JobRun(JobLog.of(setup, events), 0, 0))
    assert found.late_records == 2000
    assert 100 < len(found.late) < 200
    assert found.late[0] == [15_001, 1_000_999]
    assert found.late[-1] == [16_000, 1_000_000]
    assert found.jumps
    assert not picture(JobRun(JobLog.of(JOBS["window-state"].setup, events), 0, 0)).jumps


def test_documents_of_before_have_no_windows() -> None:
    document = msgspec.json.encode(WINDOWS)
    fields = {key: value for key, value in msgspec.json.decode(document).items() if key not in ADDED}
    old = msgspec.json.decode(msgspec.json.encode(fields), type=JobPicture)
    assert (old.state, old.state_bound, old.late, old.late_records, old.jumps) == ([], None, [], 0, False)
    assert msgspec.json.decode(document, type=JobPicture) == WINDOWS


def test_a_silent_subtask_stands_still_where_nothing_was_logged() -> None:
    setup = JOBS["silent-is-idle"].setup
    events = [LogEvent("record", "a", 0, number * 100, 100 + number * 100) for number in range(40)]
    events += [LogEvent("record", "a", 0, 4000 + number * 100, 7100 + number * 100) for number in range(60)]
    events += [LogEvent("record", "a", 0, 62_000, 53_000), LogEvent("record", "a", 0, 63_000, 54_000)]
    found = picture(JobRun(JobLog.of(setup, events), 0, 0))
    way = found.subtasks[0].points
    assert [point for point in way if point[0] in (7099, 52_999)] == [[7099, 3900], [52_999, 9900]]
    assert [point[0] for point in way] == sorted(point[0] for point in way)


def test_a_job_without_alignment_that_ran_twice_has_one_picture() -> None:
    again = job_picture(False, overshoot=1)
    views = job_views([again, job_picture(False)], [], str)
    assert [view.name for view in views["flip-182"].pictures] == ["Without alignment"]
    views = job_views([job_picture(False), job_picture(), again], [], str)
    assert [view.name for view in views["flip-182"].pictures] == ["With alignment", "Without alignment"]
