"""Checks of the sandbox: conformance of a backend, attacks, speed measurements, and whether this host is suitable."""
