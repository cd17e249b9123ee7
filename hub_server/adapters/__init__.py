"""Adapters: each fulfils the port of its name; chosen in wiring and nowhere else."""
