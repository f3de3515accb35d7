"""Where the sources of a watermark group meet: the service, its clients, and the members of a group."""
