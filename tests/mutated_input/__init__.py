"""Mutated input files through every command that reads one: `python -m mutated_input.campaign` in `tests/`."""
