"""Turns judged samples into weight updates: log-probabilities, losses, gradients, checkpoints."""
