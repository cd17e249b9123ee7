"""The documents of the project."""
