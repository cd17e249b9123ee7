"""Conversations as tokens: chat templates that append, what the model said, and the endpoint over the engine."""
