"""Imports environments of other libraries as ordinary projects: one importer for each source, and shared code."""
