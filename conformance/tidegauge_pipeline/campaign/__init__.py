"""Campaigns: very many scenarios through one engine, in chunks that are judged anywhere, in any order."""
