"""Generates completions: our own decoder with a static cache, and transformers' modules for other architectures."""
