"""Near-duplicates: who is compared, what is kept from both sides, and an earlier release that is no neighbour."""

from dataclasses import replace

import pytest

from hub_server.audits import actions
from hub_server.audits.actions import neighbours as neighbours_module
from hub_server.audits.actions.neighbours import PossibleNeighbour, find_predecessor
from hub_server.audits.rules import near_duplicates
from hub_server.catalog.actions import resolve_release
from hub_server.moderation.actions import quarantine_release
from hub_server.publishing.actions import yank_release
from schemas.comparison import RewardDistance, VerifierComparison
from schemas.measures.intervals import rate
from tests.hub_server.audits.judged import ALICE, MODA, SUMS, publish
from tests.making.action_driver import ActionDriver, caller
from tests.making.wheel import MANIFEST

OTHER_CODE = "import json\n\n\ndef verify(task, response):\n    data = json.loads(response)\n    return {'correct': float(data == task)}\n"


def compared(agreed: int, judged: int = 100) -> VerifierComparison:
    """So many of the judged cases got the same verdict from both."""
    half = agreed // 2
    counts = {"accepted/accepted": half, "rejected/rejected": agreed - half, "accepted/rejected": judged - agreed}
    distance = 1 - agreed / judged
    return VerifierComparison(
        first="a", second="b", case_count=judged, counts=counts, agreement=rate(agreed, judged), kappa=1.0,
        distance=RewardDistance(value=distance, low=distance, high=distance), disagreements=[], judged=judged, agreed=agreed,
    )  # fmt: skip


def ids(driver: ActionDriver) -> dict[str, str]:
    return {
        f"{package}@{version}": found
        for package, version, found in driver.rows("SELECT package_id, version, id FROM releases")
    }


@pytest.fixture
def three(hedging: ActionDriver) -> dict[str, str]:
    """alice/small-sums, bob's copy of it, and carol's own, all declared alike."""
    hedging.publish(caller("bob"), "bob/copy")
    hedging.publish(caller("carol"), "carol/own", code=OTHER_CODE)
    return ids(hedging)


def planned(driver: ActionDriver, release_id: str) -> list[PossibleNeighbour]:
    """As the job does it: each release keeps its signature with its own audit; the search itself writes nothing."""
    for known in ids(driver).values():
        driver.do(None, actions.keep_minhash, known)
    return driver.ask(None, actions.plan_neighbours, release_id)


def neighbours(driver: ActionDriver, package: str = SUMS, version: str = "latest") -> list[str]:
    return [one.package for one in driver.ask(None, actions.list_neighbours, package, version).items]


def test_a_copy_with_another_name_is_found_by_its_source(hedging: ActionDriver, three) -> None:
    found = {one.release_id: one.similarity for one in planned(hedging, three[f"{SUMS}@1.0.0"])}
    assert found[three["bob/copy@1.0.0"]] > 0.9
    assert found.get(three["carol/own@1.0.0"], 0.0) < 0.5
    assert three[f"{SUMS}@1.0.0"] not in found, "nobody is a neighbour of itself"


def test_environments_that_one_importer_brought_in_are_no_neighbours(hedging: ActionDriver, three) -> None:
    """A library's hundred games have the importer's code in common: each listed all others as copies."""
    for owner, source in (("dora", "gym:ab"), ("emil", "gym:cd"), ("fay", "arena:ab")):
        manifest = MANIFEST.replace(SUMS, f"{owner}/game") + f'\n[imported]\nsource = "{source}"\n'
        hedging.publish(caller(owner), f"{owner}/game", manifest=manifest)
    known = ids(hedging)
    found = {one.release_id for one in planned(hedging, known["dora/game@1.0.0"])}
    assert known["emil/game@1.0.0"] not in found
    assert {known["fay/game@1.0.0"], known["bob/copy@1.0.0"]} <= found, "a copy that is none of the library's is found"
    alike = hedging.ask(None, actions.copies_among, [known["dora/game@1.0.0"], known["emil/game@1.0.0"]])
    assert alike[known["dora/game@1.0.0"]] == {known["emil/game@1.0.0"]}, "as voices they are one owner's all the same"


def test_of_many_copies_the_closest_are_kept(hedging: ActionDriver, three, monkeypatch) -> None:
    monkeypatch.setattr(neighbours_module, "MOST_COPIES", 2)
    monkeypatch.setattr(near_duplicates, "MOST_RUN", 1)
    for number in range(5):
        hedging.publish(caller("dora"), f"dora/copy{number}")
    found = planned(hedging, ids(hedging)[f"{SUMS}@1.0.0"])
    assert [one.plan is not None for one in found] == [True, False, False]


def test_a_verifier_that_cannot_run_here_does_not_end_the_search(hedging: ActionDriver, three) -> None:
    """One that asks for more than the operator gives now left every verifier like it without neighbours."""
    greedy = "\n[sandbox]\nmemory_mb = 4000\n"
    hedging.publish(caller("dora"), "dora/greedy", manifest=f"{MANIFEST.replace(SUMS, 'dora/greedy')}{greedy}")
    settings = hedging.services.settings
    less = settings.model_copy(update={"execution": settings.execution.model_copy(update={"most_memory_mb": 2000})})
    hedging.services = replace(hedging.services, settings=less)
    known = ids(hedging)
    plans = {one.release_id: one.plan for one in planned(hedging, known[f"{SUMS}@1.0.0"])}
    assert plans[known["dora/greedy@1.0.0"]] is None
    assert plans[known["bob/copy@1.0.0"]] is not None


def test_signatures_are_made_once(hedging: ActionDriver, three) -> None:
    for _ in range(2):
        planned(hedging, three[f"{SUMS}@1.0.0"])
    assert len(hedging.rows("SELECT release_id FROM source_minhashes")) == 3


def test_a_search_takes_as_many_statements_for_five_verifiers_as_for_two(hedging: ActionDriver, three) -> None:
    """And it writes nothing: while it looked at every verifier of a large hub, every publish waited."""
    own = three[f"{SUMS}@1.0.0"]
    hedging.do(None, actions.keep_minhash, own)
    with hedging.statements() as few:
        hedging.ask(None, actions.plan_neighbours, own)
    for owner in ("dora", "emil", "fay"):
        hedging.publish(caller(owner), f"{owner}/own", code=f"# {owner}\n{OTHER_CODE}")
    with hedging.statements() as many:
        hedging.ask(None, actions.plan_neighbours, own)
    assert len(many) == len(few)


def test_a_verifier_whose_signature_was_not_kept_waits_for_its_own_audit(hedging: ActionDriver, three) -> None:
    own, copy = three[f"{SUMS}@1.0.0"], three["bob/copy@1.0.0"]
    hedging.do(None, actions.keep_minhash, own)
    assert copy not in {one.release_id for one in hedging.ask(None, actions.plan_neighbours, own)}
    hedging.do(None, actions.keep_minhash, copy)
    assert copy in {one.release_id for one in hedging.ask(None, actions.plan_neighbours, own)}


def test_what_judges_nothing_itself_has_no_neighbours(hedging: ActionDriver, three) -> None:
    borrows = 'format = 1\nid = "alice/borrows"\nkind = "environment"\ntasks = { train = "tasks.jsonl" }\n'
    hedging.publish(ALICE, "alice/borrows", manifest=borrows + f'verifier = "{SUMS}@1.0.0"\n')
    found = ids(hedging)
    assert planned(hedging, found["alice/borrows@1.0.0"]) == []
    others = {one.release_id for one in planned(hedging, found[f"{SUMS}@1.0.0"])}
    assert found["alice/borrows@1.0.0"] not in others


def test_a_quarantined_verifier_is_compared_with_nobody_and_shown_to_nobody(hedging: ActionDriver, three) -> None:
    own, copy = three[f"{SUMS}@1.0.0"], three["bob/copy@1.0.0"]
    hedging.do(None, actions.keep_neighbours, own, [(PossibleNeighbour(copy, 1.0, None), None)])
    assert neighbours(hedging) == ["bob/copy"]
    hedging.do(MODA, quarantine_release, "bob/copy", "1.0.0", "steals")
    assert neighbours(hedging) == []
    assert copy not in {one.release_id for one in planned(hedging, own)}


def test_neighbours_are_seen_from_both_sides_and_replaced_whole(hedging: ActionDriver, three) -> None:
    own, copy, other = (three[name] for name in (f"{SUMS}@1.0.0", "bob/copy@1.0.0", "carol/own@1.0.0"))
    found = [(PossibleNeighbour(copy, 1.0, None), compared(100)), (PossibleNeighbour(other, 0.1, None), compared(90))]
    hedging.do(None, actions.keep_neighbours, own, found)
    assert neighbours(hedging) == ["bob/copy", "carol/own"], "closest first"
    assert neighbours(hedging, "bob/copy") == neighbours(hedging, "carol/own") == [SUMS]
    hedging.do(None, actions.keep_neighbours, own, [(PossibleNeighbour(other, 0.1, None), compared(90))])
    assert neighbours(hedging) == ["carol/own"]
    assert neighbours(hedging, "bob/copy") == []


def test_what_could_not_be_compared_is_no_neighbour_unless_it_is_written_alike(hedging: ActionDriver, three) -> None:
    own, copy, other = (three[name] for name in (f"{SUMS}@1.0.0", "bob/copy@1.0.0", "carol/own@1.0.0"))
    hedging.do(
        None,
        actions.keep_neighbours,
        own,
        [(PossibleNeighbour(copy, 1.0, None), None), (PossibleNeighbour(other, 0.1, None), None)],
    )
    (kept,) = hedging.ask(None, actions.list_neighbours, SUMS).items
    assert (kept.package, kept.judged, kept.behaves_alike, kept.distance) == ("bob/copy", 0, False, None)


def test_the_release_before_is_compared_for_its_flips_and_is_no_neighbour(hedging: ActionDriver) -> None:
    publish(hedging, "1.1.0")
    found = ids(hedging)
    candidates = planned(hedging, found[f"{SUMS}@1.1.0"])
    (before,) = [one for one in candidates if one.is_predecessor]
    assert before.release_id == found[f"{SUMS}@1.0.0"]
    assert hedging.ask(None, actions.find_flips, SUMS, "1.1.0") is None, "not compared yet"
    hedging.do(None, actions.keep_neighbours, found[f"{SUMS}@1.1.0"], [(before, compared(98))])
    flips = hedging.ask(None, actions.find_flips, SUMS, "1.1.0")
    assert flips is not None
    assert (flips.left, flips.right) == (f"{SUMS}@1.0.0", f"{SUMS}@1.1.0")
    assert neighbours(hedging) == []
    assert hedging.ask(None, actions.find_flips, SUMS, "1.0.0") is None


@pytest.mark.parametrize(
    ("yanked", "expected"), [([], "1.9.0"), (["1.9.0"], "1.2.0"), (["1.9.0", "1.2.0", "1.0.0"], None)]
)
def test_the_release_before_is_the_next_lower_one_that_may_be_used(
    hedging: ActionDriver, yanked: list[str], expected
) -> None:
    for version in ("1.2.0", "1.9.0", "1.10.0", "2.0.0"):
        publish(hedging, version)
    for version in yanked:
        hedging.do(ALICE, yank_release, SUMS, version, "wrong")
    with hedging.reading() as work:
        found = find_predecessor(work, resolve_release(work, SUMS, "1.10.0"))
    assert (found.version if found is not None else None) == expected
