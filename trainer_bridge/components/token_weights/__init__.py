"""Which tokens count, and how much: weights_BT, without gradient."""
