"""A clock that can be paused (chapter CLOCK)."""
