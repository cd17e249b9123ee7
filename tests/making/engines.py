"""Which database a test needs, where not both will do."""

import pytest

INTERLEAVING = pytest.mark.parametrize(
    "database_url", [pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True
)
"""For tests of transactions that overlap: SQLite has one writer at a time, so none do there."""
