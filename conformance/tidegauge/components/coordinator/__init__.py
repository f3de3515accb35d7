"""The source coordinators of a job (chapter ALIGN)."""
