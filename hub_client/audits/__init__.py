"""What to run in order to measure a verifier, and how two verifiers are compared."""
