"""Models that can be trained: the pinned SmolLM2, local transformers folders, and a tiny random one."""
