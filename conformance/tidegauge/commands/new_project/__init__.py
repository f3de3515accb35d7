"""`tidegauge init`: a project in which an engine is put under test."""
