"""Every family of generated cases, by name."""

from case_families import algebra, listings, numbers, prose, quantities
from case_families.registry import FAMILIES, CaseFamily, Row, wrapped

__all__ = ["FAMILIES", "CaseFamily", "Row", "algebra", "listings", "numbers", "prose", "quantities", "wrapped"]
