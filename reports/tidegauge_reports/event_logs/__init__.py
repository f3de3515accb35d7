"""The page of an event log: what `tidegauge check-log` has found in it."""
