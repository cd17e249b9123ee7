"""The database, step by step. Each step works with the code before it and the code after it."""
