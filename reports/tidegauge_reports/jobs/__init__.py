"""The picture of a job: event time over processing time."""
