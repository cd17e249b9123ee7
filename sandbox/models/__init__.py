"""Asking a model for verifiers: what may be asked, answers that are kept, and what it may cost."""
