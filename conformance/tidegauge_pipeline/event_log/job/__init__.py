"""Findings about a job, derived from signs: statistics of its rows, independent of the rules."""
