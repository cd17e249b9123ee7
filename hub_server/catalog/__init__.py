"""Packages, releases, files, search: reading the hub."""
