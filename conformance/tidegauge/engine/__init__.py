"""How engines join and are run: the adapter contract, loading, sessions, what engines output and raise."""
