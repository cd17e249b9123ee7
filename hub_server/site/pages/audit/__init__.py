"""The audit of a release: its page, and its report as files."""
