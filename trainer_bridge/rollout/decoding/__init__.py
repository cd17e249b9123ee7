"""Sampling completions: an own static-cache decoder, and transformers' generate as oracle and fallback."""
