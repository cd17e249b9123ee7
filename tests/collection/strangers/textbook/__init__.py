"""Answers as textbooks print them, made by a seed."""

from tests.collection.strangers.textbook import curves, numbers, structures
from tests.collection.strangers.textbook.kinds import KINDS, ROWS, SEED, cases, same

__all__ = ["KINDS", "ROWS", "SEED", "cases", "curves", "numbers", "same", "structures"]
