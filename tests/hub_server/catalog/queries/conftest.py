"""A small catalogue for the tests of its statements."""

import pytest

from hub_server.catalog.queries import packages as package_queries
from tests.hub_server.catalog.test_models import package, release
from tests.making.action_driver import ActionDriver


@pytest.fixture
def hub(driver: ActionDriver) -> ActionDriver:
    """al/a (math; 2 releases), al/b (math, code; a verifier), bo/a_b (a tool, hidden)."""
    with driver.writing() as work:
        for identifier, kind, tags, listed in (
            ("al/a", "verifier", ["math"], True), ("al/b", "environment", ["code", "math", "math"], True),
            ("bo/a_b", "tool", ["code"], False),
        ):  # fmt: skip
            row = package(driver, identifier)
            row.kind, row.is_listed, row.licence = kind, listed, "MIT" if kind == "tool" else ""
            work.session.add(row)
            work.session.flush()
            package_queries.replace_facets(work.session, identifier, {"tag": tags})
        work.session.add_all(
            release(driver, version, package_id="al/a", id=version) for version in ("1.9.0", "1.10.0", "1.10.0rc1")
        )
    return driver
