"""What the tests of benchmarks share."""

import pytest

from tests.hub_server.evaluations.ladders import publish_bench
from tests.making.desk import Desk


@pytest.fixture
def bench(desk: Desk) -> Desk:
    """A desk with a benchmark of six tasks."""
    return publish_bench(desk)
