"""Adapters: each binds one engine to the kit."""
