"""Engines in any language, as a process that answers on stdout what it reads on stdin."""
