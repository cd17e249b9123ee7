"""Multi-turn episodes: one live process each, in boxes of their own."""
