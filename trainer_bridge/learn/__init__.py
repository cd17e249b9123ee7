"""From judged samples to weights: advantages, losses, gradients, checkpoints."""
