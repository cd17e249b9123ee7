"""From an uploaded wheel to a release; yank and deprecate."""
