"""The status-watermark valve (chapter VALVE)."""
