"""What makes a processor fail: changes between it and its state, timers and clock that mend it."""
