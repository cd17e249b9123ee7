"""A model of this machine as an OpenAI-compatible endpoint."""
