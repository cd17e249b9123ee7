"""Submitting a counter-example: the form, what was typed into it as a case, and its page."""
