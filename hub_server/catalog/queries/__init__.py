"""Every SQL statement about packages and releases."""
