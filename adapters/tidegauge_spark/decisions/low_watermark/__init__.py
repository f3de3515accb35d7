"""The low-watermark service of a job (chapter LOW): its rounds, its tasks, and the case of one source."""
