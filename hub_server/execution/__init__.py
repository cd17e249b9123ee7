"""Streams tasks, judges responses and holds sessions, through one port to the sandbox."""
