"""Runs untrusted code: verifiers, model-written solutions, environments, tools."""
