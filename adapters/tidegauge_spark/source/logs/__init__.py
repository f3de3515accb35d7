"""Sources over any log that knows its splits, and the event times of their records."""
