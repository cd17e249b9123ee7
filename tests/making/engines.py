"""Which database a test needs, where not both will do."""

import pytest

INTERLEAVING = pytest.mark.parametrize(
    "database_url", [pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True
)
"""For tests of transactions that overlap: SQLite has one writer at a time, so none do there."""

ON_SQLITE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
"""For tests of what a hub does with the database in its data folder."""
