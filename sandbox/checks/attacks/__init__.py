"""Attempts to break out of a box, to forge a verdict, or to harm other calls. Each says what it does and what is
safe.
"""
