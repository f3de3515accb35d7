"""Watermark generators and the strategies that build them (chapter GEN)."""
