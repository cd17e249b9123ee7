"""The journal: what the hub vouches for by its signature, in the order in which it happened, for everybody to check."""
