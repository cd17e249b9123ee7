"""One run: its view model, its curves, its figures."""
