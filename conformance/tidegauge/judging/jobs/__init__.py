"""Whole jobs, judged by their event logs."""
