"""The parts a recipe is made of: one folder a kind, one small pure piece a file, all listed in registry.py."""
