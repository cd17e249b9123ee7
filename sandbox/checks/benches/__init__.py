"""Measures the cost of the sandbox, with lower bounds from the same run: ``scripts/bench``, ``scripts/soak``."""
