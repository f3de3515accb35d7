"""The aligned data source, and the listener that reports from its offsets which sources are in backlog."""
