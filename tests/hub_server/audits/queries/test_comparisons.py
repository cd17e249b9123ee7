"""Comparable releases: by agreement, without duplicates and what was never judged."""

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.orm import Session

from hub_server.audits.models import NeighbourRow
from hub_server.audits.queries import comparisons as comparison_queries
from hub_server.audits.queries import labels as label_queries
from hub_server.audits.queries import neighbours as neighbour_queries
from tests.hub_server.audits.judged import ALICE, SUMS
from tests.making.action_driver import ActionDriver


def test_comparable_verifiers_come_by_agreement_without_duplicates_and_unjudged_ones(hedging: ActionDriver) -> None:
    for name in ("alice/b", "alice/c", "alice/d", "alice/e"):
        hedging.publish(ALICE, name)
    found = dict(hedging.rows("SELECT package_id, id FROM releases"))
    with hedging.writing() as work:
        for name, agreed, judged, alike in (
            ("b", 5, 10, False),
            ("c", 9, 10, False),
            ("d", 10, 10, True),
            ("e", 0, 0, False),
        ):
            work.session.add(
                NeighbourRow(
                    release_id=found[SUMS], other_release_id=found[f"alice/{name}"], source_similarity=0.1, judged=judged, agreed=agreed,
                    behaves_alike=alike, suite_digest="", found_at=hedging.clock.now(),
                )
            )  # fmt: skip
    with hedging.reading() as work:
        assert [row.package_id for row in comparison_queries.comparable_releases(work.session, found[SUMS], 9)] == [
            "alice/c",
            "alice/b",
        ]
        assert [row.package_id for row in comparison_queries.comparable_releases(work.session, found[SUMS], 1)] == [
            "alice/c"
        ]
        none = comparison_queries.comparable_releases(work.session, found[SUMS], 9, without={"alice"}, first={"bob"})
        assert none == []
        assert len(neighbour_queries.neighbours_of(work.session, found[SUMS])) == 4
    hedging.do(None, lambda work: neighbour_queries.forget_neighbours(work.session, found["alice/b"]))
    with hedging.reading() as work:
        assert len(neighbour_queries.neighbours_of(work.session, found[SUMS])) == 3, "forgotten from either side"


@pytest.mark.parametrize("ask", [lambda session: comparison_queries.newest_comparisons(session, 10),
                                 lambda session: label_queries.count_open_questions(session, None, None),
                                 lambda session: label_queries.first_question(session, None, None, [])])  # fmt: skip
def test_what_is_few_is_asked_for_without_listing_every_release(
    driver: ActionDriver, ask: Callable[[Session], object]
) -> None:
    """A list of all listed releases cost four seconds of CPU on a hub with 500,000: /compare could be asked to death."""
    plans: list[str] = []
    with driver.reading() as work:
        engine = work.session.get_bind()

        def explain(connection: Any, cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
            if not statement.startswith("EXPLAIN"):
                cursor.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)
                plans.extend(str(row) for row in cursor.fetchall())

        event.listen(engine, "before_cursor_execute", explain)
        try:
            ask(work.session)
        finally:
            event.remove(engine, "before_cursor_execute", explain)
    assert any("comparisons" in one or "label_questions" in one for one in plans), plans
    assert not [one for one in plans if "LIST SUBQUERY" in one or "SCAN releases" in one or "SCAN packages" in one], (
        plans
    )
