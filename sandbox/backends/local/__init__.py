"""Boxes as plain processes, without isolation: for an author's own code."""
