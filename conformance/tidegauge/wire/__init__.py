"""The wire form and the record of a run: structs that are read and written, nothing that runs an engine."""
