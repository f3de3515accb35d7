"""Event-time windows (chapter WIN): which there are, when they fire, and what is late."""
