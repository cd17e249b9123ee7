"""Per-token losses to one number, as weights_BT that sum the loss."""
