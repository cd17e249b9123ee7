"""Escapes, forgeries and abuse. Each attempt says what it does and which result is safe."""
