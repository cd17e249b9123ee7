"""Trusted publishing: a workflow of continuous integration publishes by its provider's word, without a stored token."""
