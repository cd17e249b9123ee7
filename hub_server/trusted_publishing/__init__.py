"""Trusted publishing: a CI workflow publishes by an identity token of its provider, without a stored token."""
