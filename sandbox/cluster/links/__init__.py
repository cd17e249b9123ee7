"""How a node is reached: through Ray, or by a command such as ssh."""
