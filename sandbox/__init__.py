"""Runs code that nobody here trusts: verifiers, model-written solutions, environments, tools."""
