"""Windows and lateness (chapter WIN)."""
