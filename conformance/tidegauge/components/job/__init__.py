"""Whole jobs (chapters JOB, ALIGN, SOURCE): judged by what their event logs show."""
