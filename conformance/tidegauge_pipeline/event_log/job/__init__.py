"""Findings about a job, derived from the signs that its rows give; they are apart from rules."""
