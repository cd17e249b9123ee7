"""When two verifiers count as near-duplicates: every condition is needed."""

from dataclasses import replace

import pytest

from hub_server.audits.rules.near_duplicates import (
    COMMON,
    FEWEST_JUDGED,
    FEWEST_OF_A_KIND,
    MOST_DISTANCE,
    MOST_RUN,
    SAME_SOURCE,
    WORTH_RUNNING,
    Traits,
    behaves_alike,
    how_telling,
    is_comparable,
    promise,
    share_an_importer,
    worth_running,
)
from schemas.comparison import RewardDistance, VerifierComparison
from schemas.manifest import ImportedFrom
from schemas.measures.intervals import rate


def comparison(accepted: int = 20, rejected: int = 20, parted: int = 0, distance: float | None = 0.0):
    judged = accepted + rejected + parted
    return VerifierComparison(
        first="a/x@1", second="b/y@1", case_count=judged, judged=judged, agreed=judged - parted,
        counts={"accepted/accepted": accepted, "rejected/rejected": rejected, "accepted/rejected": parted},
        agreement=rate(judged - parted, judged), kappa=None, disagreements=[],
        distance=RewardDistance(value=distance, low=0.0, high=1.0) if distance is not None else None,
    )  # fmt: skip


def test_the_same_verdicts_on_enough_of_both_kinds_are_alike() -> None:
    assert behaves_alike(comparison())
    assert behaves_alike(comparison(distance=MOST_DISTANCE))


@pytest.mark.parametrize(
    "found",
    [
        comparison(parted=1),
        comparison(accepted=FEWEST_JUDGED, rejected=FEWEST_OF_A_KIND - 1),
        comparison(accepted=0, rejected=60),
        comparison(accepted=10, rejected=10),
        comparison(distance=None),
        comparison(distance=MOST_DISTANCE + 0.01),
    ],
    ids=["one verdict parts", "few of a kind", "both reject all", "few judged", "no distance", "far rewards"],
)
def test_each_condition_alone_prevents_it(found: VerifierComparison) -> None:
    assert not behaves_alike(found)


def test_too_few_judged_cases_say_nothing_either_way() -> None:
    assert is_comparable(comparison(15, 15))
    assert not is_comparable(comparison(15, 14))


def traits(*tags: str, rewards: tuple[tuple[str, str], ...] = (("correct", "score"),)) -> Traits:
    return Traits("r", "a/x", frozenset(rewards), frozenset(tags))


def test_shared_code_vector_and_tags_add_up_to_at_most_two() -> None:
    same = traits("math", "exact")
    assert promise(same, same, 1.0) == 2.0
    assert promise(same, traits("math"), 0.0) == 0.75
    assert promise(traits(rewards=()), traits(rewards=()), 0.0) == 0.0  # two that declare nothing share nothing
    assert promise(same, traits(rewards=(("correct", "gate"),)), 0.0) == 0.0


def test_what_hundreds_have_in_common_says_little() -> None:
    games = [traits("game", f"only-{n}", rewards=(("solved", "score"),)) for n in range(400)]
    weights = how_telling([*games, traits("sums", "exact")])
    assert weights[games[0].rewards] == weights["game"] == COMMON / 400
    assert promise(games[0], games[1], 0.0, weights) < WORTH_RUNNING
    assert promise(traits("sums", "exact"), traits("sums"), 0.0, weights) == 0.75
    few = games[:COMMON]
    assert promise(few[0], few[1], 0.0, how_telling(few)) > WORTH_RUNNING


@pytest.mark.parametrize(
    ("one", "other", "similarity", "expected"),
    [
        ("gym:ab", "gym:cd", SAME_SOURCE, True),
        ("gym:ab", "gym:cd", SAME_SOURCE - 0.01, False),
        ("gym:ab", "gym:ab", 1.0, False),
        ("gym:ab", "arena:cd", 1.0, False),
        ("gym:ab", None, 1.0, False),
        (None, None, 1.0, False),
    ],
    ids=["one importer", "other code", "the same item twice", "another library", "one is no import", "none is"],
)
def test_two_environments_of_one_library_share_only_the_importers_code(one, other, similarity, expected) -> None:
    first, second = (
        replace(traits(), imported=ImportedFrom(source=source) if source else None) for source in (one, other)
    )
    assert share_an_importer(first, second, similarity) is expected


def test_the_most_promising_are_run_few_and_in_a_steady_order() -> None:
    candidates = [(f"r{n}", WORTH_RUNNING + n / 100) for n in range(MOST_RUN + 3)] + [("low", WORTH_RUNNING - 0.01)]
    chosen = worth_running(candidates)
    assert chosen == worth_running(list(reversed(candidates)))
    assert len(chosen) == MOST_RUN
    assert chosen[0] == f"r{MOST_RUN + 2}"
    assert worth_running([("b", 1.0), ("a", 1.0)]) == ["a", "b"]
    assert worth_running([]) == []
