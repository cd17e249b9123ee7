"""The registry: publishing, catalogue, audits, runs."""
