"""Releases alike: two writers at once both go on, and a release is forgotten from either side."""

import pytest

from hub_server.audits.models import SourceMinhashRow
from hub_server.audits.queries import neighbours as neighbour_queries
from hub_server.journal import queries as journal
from hub_server.journal.models import SigningKeyRow
from tests.hub_server.audits.test_models import case
from tests.making.action_driver import ActionDriver


@pytest.mark.parametrize(
    ("add", "row"),
    [
        (
            journal.add_signing_key,
            lambda driver, rid: SigningKeyRow(id="k", public_key="p", first_used_at=driver.clock.now()),
        ),
        (neighbour_queries.add_minhash, lambda driver, rid: SourceMinhashRow(release_id=rid, minhash={"minima": [1]})),
    ],
)
def test_of_two_who_write_the_same_at_once_one_does_and_both_go_on(hedging: ActionDriver, add, row) -> None:
    ((release_id,),) = hedging.rows("SELECT id FROM releases")
    for _ in range(2):
        with hedging.writing() as work:
            work.session.add(case(hedging, id=f"c{hedging.clock.now().microsecond}", case_key=str(hedging.clock.now())))
            add(work.session, row(hedging, release_id))
    assert len(hedging.rows("SELECT id FROM counter_examples")) == 2, "what else the transaction did is kept"
