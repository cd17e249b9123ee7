"""A read-only mirror: follows another hub's journal, checks all of it, and shows what is public there."""
