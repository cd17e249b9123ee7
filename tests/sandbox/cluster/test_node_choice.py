import pytest

from sandbox.cluster.node_choice import CallTimes, Load, group_limit, pick, rank

NODES = [f"node{number}" for number in range(5)]
DIGESTS = [f"sha256:{number}" for number in range(200)]


def test_a_release_has_one_order_of_nodes_however_they_are_listed() -> None:
    assert all(rank(digest, NODES) == rank(digest, reversed(NODES)) for digest in DIGESTS)


def test_releases_spread_over_the_nodes() -> None:
    first = [rank(digest, NODES)[0] for digest in DIGESTS]
    assert all(20 <= first.count(node) <= 60 for node in NODES)


def test_a_node_that_goes_moves_only_its_own_releases() -> None:
    fewer = [node for node in NODES if node != "node3"]
    for digest in DIGESTS:
        before = rank(digest, NODES)
        assert rank(digest, fewer) == [node for node in before if node != "node3"]


def test_calls_stay_on_their_node_until_it_is_deep_in_work_and_then_go_to_the_next() -> None:
    loads = [("a", Load(boxes_per_package=2)), ("b", Load(boxes_per_package=2)), ("c", Load(boxes_per_package=2))]

    def picked() -> str | None:
        return pick(loads, spill_seconds=0.5, calls_per_node=100)

    assert picked() == "a"
    loads[0][1].add(10, call_ms=99)
    assert picked() == "a"  # 0.495 s of work on two boxes
    loads[0][1].add(1, call_ms=99)
    assert picked() == "b"
    loads[1][1].add(50, call_ms=99)
    loads[2][1].add(12, call_ms=99)
    assert picked() == "a"  # all deep: the least
    loads[0][1].add(89, call_ms=0)
    assert picked() == "c"  # a has as many calls as a node may have
    loads[1][1].add(50, call_ms=0)
    loads[2][1].add(88, call_ms=0)
    assert picked() is None
    loads[1][1].remove(100, call_ms=99)
    assert picked() == "b"
    assert loads[1][1].work_ms == 0


@pytest.mark.parametrize(
    ("call_ms", "boxes_per_package", "limit"), [(0.02, 2, 256), (1, 2, 200), (12, 4, 33), (5000, 8, 1)]
)
def test_short_calls_travel_in_large_groups_and_long_ones_alone(
    call_ms: float, boxes_per_package: int, limit: int
) -> None:
    assert group_limit(call_ms, boxes_per_package) == limit


def test_what_a_call_takes_is_learnt_and_calls_that_never_ran_teach_nothing() -> None:
    times = CallTimes()
    first = times.of("x")
    times.saw("x", [0.0, 0.0])
    assert times.of("x") == first
    assert not times.knows("x")
    times.saw("x", [10.0, 0.0, 30.0])
    assert times.of("x") == 20
    for _ in range(50):
        times.saw("x", [40.0, 40.0])
    assert 39 < times.of("x") <= 40
    assert times.of("y") == first
