"""Utility to advantage a row: utility_B -> advantages_B."""
