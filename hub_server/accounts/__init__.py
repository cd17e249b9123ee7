"""People, organisations, tokens and sessions: who is behind a request."""
