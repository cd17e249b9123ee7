"""Checks what a hub has signed: its keys, the journal of its releases, and what this machine remembers of both."""
