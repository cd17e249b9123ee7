"""The documents of the project, read on the hub."""
