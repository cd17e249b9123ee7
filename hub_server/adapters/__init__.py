"""Adapters: each implements the port of its name. Only wiring.py chooses them."""
