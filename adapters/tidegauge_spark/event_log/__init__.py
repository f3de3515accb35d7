"""Event logs: what a job did, as a table that `tidegauge check-log` can judge."""
