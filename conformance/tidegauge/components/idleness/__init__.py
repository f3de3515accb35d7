"""Idleness judged on the input activity clock (chapter IDLE)."""
