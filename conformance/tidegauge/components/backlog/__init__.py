"""Backlog detection by watermark lag (chapter BACKLOG)."""
