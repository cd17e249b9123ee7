"""Escapes, forgeries and abuse: each attempt says what it does and which result is safe."""
