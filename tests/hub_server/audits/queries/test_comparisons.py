"""Comparable releases: by agreement, without duplicates and what was never judged."""

from hub_server.audits.models import NeighbourRow
from hub_server.audits.queries import comparisons as comparison_queries
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
        assert len(neighbour_queries.neighbours_of(work.session, found[SUMS])) == 4
    hedging.do(None, lambda work: neighbour_queries.forget_neighbours(work.session, found["alice/b"]))
    with hedging.reading() as work:
        assert len(neighbour_queries.neighbours_of(work.session, found[SUMS])) == 3, "forgotten from either side"
