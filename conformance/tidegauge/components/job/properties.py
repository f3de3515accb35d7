"""The properties of jobs, each with the jobs on which it is checked."""

from . import one_run, silence, two_runs
from .job_property import JobProperty
from .jobs import JOBS
from .transformations import CONTROL

_WHOLE = ("flip-182", "short-subtask", "two-sources-one-query", "two-sources-two-queries", "two-groups")
_STUCK = ("ALIGN-4", "ALIGN-5", "SOURCE-2", "SOURCE-3")
_LOOSE = ("SOURCE-1", "ALIGN-1", "ALIGN-4")

_PACE = ("SOURCE-1", "SOURCE-3")
_ENDING = tuple(name for name, job in JOBS.items() if not job.setup.endless and not job.setup.restarts)
_SILENT = ("silent-is-idle", "silent-is-idle-aligned")
_SILENT_RESTARTED = ("silent-is-idle-restarted",)
_TRANSFORMED = ("slow-and-fast", "slow-and-fast-windows")

JOB_PROPERTIES = (
    JobProperty(
        "job-every-record-once",
        "Every record is output exactly once.",
        ("JOB-1", *_STUCK),
        (*_WHOLE, "flip-182-literal"),
        one_run.every_record_once,
    ),
    JobProperty(
        "job-spread-bounded",
        "The watermarks of the unfinished subtasks are within the drift plus the declared overshoot.",
        (*_LOOSE, "JOB-2"),
        ("flip-182",),
        one_run.spread_bounded,
        alignment=True,
    ),
    JobProperty(
        "job-spread-across-sources",
        "The watermarks of the unfinished subtasks of all sources in a group are within the drift plus the "
        "declared overshoot.",
        ("ALIGN-2", *_LOOSE, "JOB-2"),
        ("two-sources-one-query", "two-sources-two-queries"),
        one_run.spread_bounded,
        alignment=True,
    ),
    JobProperty(
        "job-others-blocked",
        "All subtasks but the slowest become blocked.",
        ("JOB-5", "SOURCE-1", "ALIGN-1"),
        ("flip-182",),
        one_run.others_blocked,
        alignment=True,
    ),
    JobProperty(
        "job-slowest-not-blocked",
        "The slowest subtask of a group reads every record as soon as it can.",
        ("SOURCE-2", "SOURCE-3", "ALIGN-4", "JOB-1"),
        ("flip-182", "short-subtask", "two-sources-one-query"),
        one_run.slowest_not_blocked,
    ),
    JobProperty(
        "job-drift-granted",
        "A subtask gets as far ahead of the slowest as the drift allows, within the declared reaction time.",
        ("ALIGN-4", "SOURCE-3"),
        ("flip-182",),
        one_run.drift_granted,
    ),
    JobProperty(
        "job-blocked-go-on",
        "A blocked subtask reads what its bound admits, within the declared reaction time.",
        ("SOURCE-3", "ALIGN-4", "ALIGN-5", "SOURCE-2", "JOB-1"),
        ("flip-182", "short-subtask"),
        one_run.blocked_go_on,
    ),
    JobProperty(
        "job-finished-not-waited-for",
        "The others continue when a subtask has finished early.",
        ("ALIGN-5", "ALIGN-4", "SOURCE-2", "SOURCE-3"),
        ("short-subtask",),
        one_run.finished_not_waited_for,
    ),
    JobProperty(
        "job-groups-isolated",
        "A source reads what its own group admits, whatever another group does.",
        ("ALIGN-3", "ALIGN-4", "ALIGN-5", "SOURCE-2", "SOURCE-3", "JOB-1"),
        ("two-groups",),
        one_run.blocked_go_on,
    ),
    JobProperty(
        "job-off-means-off",
        "Without alignment every subtask reads every record as soon as it can.",
        ("SOURCE-4", "JOB-1"),
        ("flip-182", "two-sources-one-query"),
        one_run.off_means_off,
        on_control=True,
    ),
    JobProperty(
        "job-restart-loses-nothing",
        "A job that is restarted outputs every record once.",
        ("JOB-4", "JOB-1", *_STUCK),
        ("flip-182-restarted",),
        one_run.every_record_once,
    ),
    JobProperty(
        "job-restart-keeps-alignment",
        "The spread stays bounded over restarts.",
        ("JOB-4", *_LOOSE, "JOB-2"),
        ("flip-182-restarted",),
        one_run.spread_bounded,
        alignment=True,
    ),
    JobProperty(
        "job-only-lowest-range",
        "In the literal job only the subtask with the lowest numbers continues reading.",
        ("JOB-6", *_LOOSE, "SOURCE-2"),
        ("flip-182-literal",),
        one_run.only_lowest_range,
        alignment=True,
    ),
    JobProperty(
        "job-blocked-is-not-idle",
        "In the worked example of the FLIP on blocked sources no record of A is late.",
        ("JOB-7", *_STUCK),
        ("blocked-is-not-idle", "blocked-is-not-idle-moving"),
        one_run.nothing_late,
    ),
    JobProperty(
        "job-backpressured-is-not-idle",
        "No record of a source that backpressure held back is late.",
        ("JOB-8",),
        ("backpressured-is-not-idle", "backpressured-sooner-is-not-idle"),
        one_run.nothing_late,
    ),
    JobProperty(
        "job-window-state-bounded",
        "Windows keep no more records than lie within the drift plus the declared overshoot.",
        ("JOB-9", *_LOOSE, "JOB-2"),
        ("window-state",),
        one_run.state_bounded,
        alignment=True,
    ),
    JobProperty(
        "job-window-results",
        "Every window fires once, with all its records.",
        ("JOB-10", "JOB-1", "JOB-7", "JOB-8"),
        ("window-state", "blocked-is-not-idle", "backpressured-is-not-idle"),
        one_run.all_results,
    ),
    JobProperty(
        "job-window-results-restarted",
        "Over restarts every window fires once, with all its records.",
        ("JOB-4", "JOB-10", "JOB-1"),
        ("window-state-restarted",),
        one_run.all_results,
    ),
    JobProperty(
        "job-silent-is-idle",
        "While a source has nothing to read for longer than its idle timeout, windows of the others fire.",
        ("JOB-11", "JOB-10", "JOB-1"),
        _SILENT,
        silence.silent_not_waited_for,
    ),
    JobProperty(
        "job-silent-is-idle-over-a-restart",
        "A source that was idle when the job was restarted does not hold up the others after it.",
        ("JOB-4", "JOB-11", "JOB-10", "JOB-1"),
        _SILENT_RESTARTED,
        silence.silent_not_waited_for,
    ),
    JobProperty(
        "job-silent-comes-back",
        "A source that was idle, or paused for less than its idle timeout, loses nothing: every window fires "
        "once, with all its records.",
        ("JOB-11", "JOB-10", "JOB-1", "JOB-4"),
        (*_SILENT, *_SILENT_RESTARTED),
        one_run.all_results,
    ),
    JobProperty(
        "job-alignment-only-delays",
        "A job outputs the same records with and without alignment.",
        ("JOB-3", "JOB-1", "ALIGN-4", "ALIGN-5", "SOURCE-2", "SOURCE-3", "SOURCE-4"),
        _ENDING,
        two_runs.delays_only,
        compared_with=CONTROL,
    ),
    JobProperty(
        "job-shift",
        "Shifting all event times shifts the records and windows that come out, and nothing else.",
        ("ALIGN-4", "JOB-1", "JOB-10", *_PACE),
        _TRANSFORMED,
        two_runs.shifted,
        compared_with="shifted",
    ),
    JobProperty(
        "job-delay",
        "A delayed subtask delays the outputs by no more than its own delay, and changes nothing else.",
        ("ALIGN-1", "JOB-1", "JOB-10", *_PACE),
        _TRANSFORMED,
        two_runs.delayed,
        compared_with="delayed",
    ),
    JobProperty(
        "job-duplicate",
        "When every record is delivered twice, each comes out twice, each window has twice as many, and no "
        "subtask gets further or less far.",
        ("JOB-1", "JOB-10", *_PACE),
        _TRANSFORMED,
        two_runs.duplicated,
        compared_with="duplicated",
    ),
    JobProperty(
        "job-reorder",
        "Records out of order, as far as their source expects it, come out as they do in order, and into the "
        "same windows.",
        ("JOB-10", "JOB-1", "ALIGN-1", *_PACE),
        ("slow-and-fast-out-of-order",),
        two_runs.reordered,
        compared_with="reordered",
    ),
    JobProperty(
        "job-exchange",
        "What a subtask outputs does not depend on its number among the subtasks of its source.",
        ("ALIGN-1", "JOB-1", "JOB-10", *_PACE),
        _TRANSFORMED,
        two_runs.exchanged,
        compared_with="exchanged",
    ),
)
