"""One run: its story, its curves, its figures."""
