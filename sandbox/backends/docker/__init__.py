"""Boxes as locked-down Docker containers."""
