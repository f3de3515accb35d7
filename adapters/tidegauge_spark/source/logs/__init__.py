"""Sources over any log that can say which splits it has, and the event times of their records."""
