"""Scenarios, drawn: reproducible from (seed, index) on any machine."""
