"""Changes of the reference that make another engine of it: named mutants, policy values, small changes."""
