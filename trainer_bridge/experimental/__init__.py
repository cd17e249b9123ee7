"""Formulas with tests that no recipe, setting or command can reach yet."""
