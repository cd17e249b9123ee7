"""Many machines as one sandbox: which node judges what, and what happens when a node is lost."""
