"""Event logs: what a running job wrote of its event time, and what such a log must show by itself."""
