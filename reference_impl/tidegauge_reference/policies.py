"""Policies and profiles, executable. Their meaning and sources: `policies.md`, `profiles.md` of the spec."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Policies:
    """The named choices where engines may legitimately differ; the defaults are the profile `core`."""

    initial_watermark: Literal["none", "epoch"] = "none"
    clock_busy_downstream: Literal["hidden", "counted"] = "hidden"
    clock_backwards: Literal["refused", "clamped"] = "refused"
    idleness_reading_zero: Literal["starts", "ignored"] = "starts"
    idleness_ends_with: Literal["record", "watermark"] = "record"
    generator_idle_timeouts: Literal["last-counts", "nest"] = "last-counts"
    valve_flush_when_all_idle: Literal["always", "last-channel-at-output"] = "always"
    valve_minimum_when_active: Literal["derived", "deferred"] = "derived"
    valve_minimum_when_idle: Literal["derived", "channel-at-output"] = "derived"
    valve_finished_channel: Literal["leaves", "counts"] = "leaves"
    valve_flush_channels: Literal["unfinished", "all-channels"] = "unfinished"
    valve_returning_channel: Literal["excluded", "holds-back"] = "excluded"
    align_announced_subtasks: Literal["running", "reported"] = "running"
    align_group_update: Literal["each-report", "changed-minimum"] = "each-report"
    align_report_of_min: Literal["ignored", "counts"] = "ignored"
    align_failed_subtask: Literal["stays", "forgotten"] = "stays"
    align_restarted_coordinator: Literal["keeps-reports", "keeps-minimum"] = "keeps-reports"
    align_source_key: Literal["identity", "name"] = "identity"
    align_unknown_subtask: Literal["refused", "counts"] = "refused"
    low_watermark_counts: Literal["larger-than-last-result", "every-subtask-with-partitions"] = (
        "larger-than-last-result"
    )
    split_finished: Literal["leaves", "counts"] = "leaves"
    split_none: Literal["idle", "unchanged"] = "idle"
    split_membership: Literal["next-update", "at-once"] = "next-update"
    split_status: Literal["changes", "idle-at-every-update"] = "changes"
    split_resumption: Literal["any-watermark", "rising-watermark"] = "any-watermark"
    source_aligned_watermark: Literal["newest", "oldest-sample"] = "newest"
    source_bound_without_alignment: Literal["ignored", "obeyed"] = "ignored"
    source_idle_paused_split: Literal["resumed", "stays"] = "resumed"
    source_paused_split: Literal["not-read", "left-to-reader"] = "not-read"
    source_blocked_clocks: Literal["all", "main"] = "all"
    source_main_output: Literal["counts", "apart"] = "counts"
    source_finished_paused_split: Literal["forgotten", "kept"] = "forgotten"
    source_end_of_input: Literal["ends-all", "only-reading"] = "ends-all"
    window_order_at_a_record: Literal["earliest-first", "latest-first"] = "earliest-first"
    window_order_at_a_watermark: Literal["by-end", "by-creation", "latest-first"] = "by-end"
    window_beyond_event_time: Literal["cut", "wraps"] = "cut"
    window_endless_state: Literal["dropped", "kept"] = "dropped"
    window_touching_sessions: Literal["merge", "separate"] = "merge"
    window_session_lateness: Literal["after-merging", "before-merging"] = "after-merging"
    window_late_record: Literal["windows", "record"] = "windows"
    window_late_at_watermark: Literal["late", "in-time"] = "late"
    window_session_end: Literal["exclusive", "inclusive"] = "exclusive"
    window_dropped_record: Literal["counted", "without-a-trace"] = "counted"
    backlog_false_to_true: Literal["after-idleness", "always"] = "after-idleness"
    backlog_channels_without_strategy: Literal["not-awaited", "awaited"] = "not-awaited"


CORE = Policies()
INITIAL_WATERMARK = {"none": -(2**63), "epoch": -1}

FLINK_2_3 = Policies(
    clock_busy_downstream="counted",
    idleness_reading_zero="ignored",
    idleness_ends_with="watermark",
    generator_idle_timeouts="nest",
    valve_flush_when_all_idle="last-channel-at-output",
    valve_minimum_when_active="deferred",
    valve_minimum_when_idle="channel-at-output",
    valve_finished_channel="counts",
    align_announced_subtasks="reported",
    align_group_update="changed-minimum",
    align_report_of_min="counts",
    align_restarted_coordinator="keeps-minimum",
    align_source_key="name",
    align_unknown_subtask="counts",
    split_finished="counts",
    split_none="unchanged",
    split_resumption="rising-watermark",
    source_aligned_watermark="oldest-sample",
    source_bound_without_alignment="obeyed",
    source_idle_paused_split="stays",
    source_paused_split="left-to-reader",
    source_blocked_clocks="main",
    source_main_output="apart",
    source_finished_paused_split="kept",
    source_end_of_input="only-reading",
    window_order_at_a_record="latest-first",
    window_beyond_event_time="wraps",
    window_endless_state="kept",
    backlog_channels_without_strategy="awaited",
)

PROFILES = {"core": CORE, "flink-2.3": FLINK_2_3, "spark-4": Policies(initial_watermark="epoch")}
