"""What the tests of audits share."""

import pytest

from tests.hub_server.audits.judged import publish
from tests.making.desk import Desk


@pytest.fixture
def hedging(desk: Desk) -> Desk:
    """A desk with alice/small-sums 1.0.0, which accepts a hedge."""
    return publish(desk)
