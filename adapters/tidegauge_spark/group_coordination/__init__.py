"""The coordination of a watermark group: the service, its clients, and the members of a group."""
