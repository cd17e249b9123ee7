"""Terms added to every token's loss: KL, entropy and their relatives."""
