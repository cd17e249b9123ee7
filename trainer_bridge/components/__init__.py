"""The components of recipes: small pure classes, one file for each kind, all listed in registry.py."""
