"""Several engines side by side: every rule, by engines."""
