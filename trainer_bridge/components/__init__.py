"""The components that recipes are made of: one file for each kind, small pure classes, all listed in registry.py."""
