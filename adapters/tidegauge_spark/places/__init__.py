"""The places of files: local folders and S3, for the source and for event logs."""
