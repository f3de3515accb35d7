"""The aligned data source, and the listener that tells from its offsets which sources are in backlog."""
