"""The low-watermark service (chapter LOW)."""
