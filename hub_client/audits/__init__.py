"""What to run to measure a verifier, and how two verifiers compare."""
