"""Hits: ids are read when they are asked for, and pages follow one another without a gap or a double."""

from hypothesis import given
from hypothesis import strategies as st

from hub_server.ports.search_index import Hits

_SCORES = st.dictionaries(st.text("abc", min_size=1, max_size=4), st.sampled_from([0.0, 0.5, 1.0, 2.5]), max_size=40)


@given(_SCORES, st.integers(1, 7))
def test_pages_hold_every_package_once_the_best_first_and_by_name_among_equals(
    scores: dict[str, float], count: int
) -> None:
    hits, found, after = Hits.of(scores), list[tuple[float, str]](), None
    while page := hits.page(count, after):
        found += page
        after = page[-1]
        assert len(page) == min(count, len(page))
    assert found == sorted((-score, one) for one, score in scores.items())
    assert dict(hits) == scores
    assert len(hits) == len(scores)


def test_a_page_reads_no_more_ids_than_it_shows_and_their_equals() -> None:
    read: list[int] = []

    def id_at(place: int) -> str:
        read.append(place)
        return f"al/p{place:04}"

    hits = Hits([(3.0, 7), (2.0, 5), (2.0, 4), *((1.0, place) for place in range(100, 1100))], id_at)
    assert hits.page(2) == [(-3.0, "al/p0007"), (-2.0, "al/p0004")]
    assert read == [7, 5, 4]
    assert hits.page(1, (-2.0, "al/p0004")) == [(-2.0, "al/p0005")]
