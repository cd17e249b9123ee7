"""What execution's tests share."""

import pytest

from tests.hub_server.execution.played import publish_all
from tests.making.desk import Desk


@pytest.fixture
def playable(desk: Desk) -> Desk:
    """A desk with everything that can be executed."""
    return publish_all(desk)
