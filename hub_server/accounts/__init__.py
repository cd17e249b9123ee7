"""People, organisations, tokens, sessions: who somebody is."""
