"""Every family of generated cases, by name."""

from case_families import algebra, forms, listings, numbers, prose, quantities, sentences, unseen
from case_families.registry import FAMILIES, CaseFamily, Row, wrapped

__all__ = [
    "FAMILIES",
    "CaseFamily",
    "Row",
    "algebra",
    "forms",
    "listings",
    "numbers",
    "prose",
    "quantities",
    "sentences",
    "unseen",
    "wrapped",
]
