"""Suites: a stranger's cases measure every verifier that says it judges their family, and what a hub holds stays there."""

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from hub_server.kernel.services import Services
from schemas.verdict import Verdict
from tests.fakes.clock import FakeClock
from tests.fakes.executor import FakeExecutor
from tests.making.hub import Api, make_package, run_jobs
from tests.making.wheel import MANIFEST

PACKAGE = "/api/v1/packages/alice/small-sums"
SUITE = 'format = 1\nid = "alice/small-sums"\nkind = "suite"\nfamily = "short-number"\naudit = ["cases.jsonl"]\n'
SECRET_WORDS = "nobody reads this"


def cases(count: int, words: str = "So it is") -> str:
    rows = [
        {"id": f"{label}{n}", "label": label, "response": f"{words} {chr(97 + n % 26)}{n}x {2 * n + wrong}",
         "task": {"id": f"s{n}", "prompt": f"{n} + {n}?", "answer": 2 * n}, "source": "made", "licence": "Apache-2.0"}
        for n in range(count)
        for label, wrong in (("correct", 0), ("incorrect", 1))
    ]  # fmt: skip
    return "".join(json.dumps(row) + "\n" for row in rows)


def suite_of(owner: str, count: int = 40) -> bytes:
    files = {"cases.jsonl": cases(count)}
    return make_package(f"{owner}/numbers", manifest=SUITE, package_files=files, code='"""No code."""')


def lenient(version: str, task: dict[str, Any], response: str | None) -> Verdict:
    """Takes any response with a digit: its author's cases do not show it."""
    return Verdict(rewards={"correct": float(re.search(r"\d", response or "") is not None)})


def exact(version: str, task: dict[str, Any], response: str | None) -> Verdict:
    return Verdict(rewards={"correct": float((response or "").split()[-1:] == [str(task["answer"])])})


def measured(alice: Api, services: Services, version: str = "1.0.0") -> Any:
    wheel = make_package(version=version, manifest=MANIFEST + "\n[judges.short-number]\n")
    assert alice.publish(wheel).status_code == 201
    run_jobs(services)
    return alice.get(f"{PACKAGE}/releases/{version}/audits").json()["items"][0]["report"]


def test_a_strangers_suite_finds_what_the_authors_cases_do_not_show(
    alice: Api, api: Api, services: Services, executor: FakeExecutor
) -> None:
    executor.judge_call = lenient
    assert api.sign_up("moda").publish(suite_of("moda")).status_code == 201
    found = measured(alice, services)
    assert found["slices"]["origin:suite"]["fp"] == 40
    assert found["slices"]["tag:suite:moda/numbers"]["fp"] == 40
    assert found["grade"] == "F"


def test_a_suite_of_the_verifiers_own_owner_is_its_authors(
    alice: Api, services: Services, executor: FakeExecutor
) -> None:
    executor.judge_call = exact
    assert alice.publish(suite_of("alice")).status_code == 201
    found = measured(alice, services)
    assert "origin:suite" not in found["slices"]
    assert found["grading"]["independent"] is None


def test_a_suite_of_an_account_without_standing_is_run_and_counts_for_nothing(
    alice: Api, bob: Api, services: Services, executor: FakeExecutor
) -> None:
    """Or anybody's second account would make evidence."""
    executor.judge_call = exact
    assert bob.publish(suite_of("bob")).status_code == 201
    found = measured(alice, services)
    assert found["slices"]["origin:reported"]["tn"] == 40
    assert found["grading"]["independent"] is None


def test_what_the_hub_holds_counts_as_a_first_look_and_is_shown_nowhere(
    alice: Api, services: Services, executor: FakeExecutor
) -> None:
    executor.judge_call = lenient
    held = services.settings.data / "held"
    held.mkdir()
    (held / "short-number.jsonl").write_text(cases(40, SECRET_WORDS))
    found = measured(alice, services)
    assert found["grading"]["first_look"]["fp"] == 40
    assert SECRET_WORDS not in json.dumps(found)
    assert SECRET_WORDS not in alice.get("/packages/alice/small-sums/releases/1.0.0/audit?failures=all").text


DRAWN_WORDS = "a drawn case"
TELLING = "secretname"


def made_case(seed: int, index: int) -> dict[str, Any]:
    label, wrong = (("correct", 0), ("incorrect", 1))[index % 2]
    number = seed % 1000 + index
    words = f"{DRAWN_WORDS} {chr(97 + index % 26)}{index}x {number + wrong}"
    names = {"id": f"{TELLING}{index}", "tags": [f"{TELLING}tag{index}"], "cluster": f"{TELLING}form", "note": TELLING}
    return {**names, "label": label, "response": words, "task": {"id": f"{TELLING}{index}", "answer": number}}


def drawing_suite(owner: str, more: str = "", table: str = "") -> bytes:
    manifest = (SUITE + table).replace('["cases.jsonl"]', f'["cases.jsonl", "{owner}_numbers:cases"]')
    code = "def cases(split, seed, index):\n    return None\n"
    return make_package(
        f"{owner}/numbers", manifest=manifest, package_files={"cases.jsonl": cases(4) + more}, code=code
    )


def test_a_hub_draws_from_a_suites_generator_anew_for_each_release_and_shows_nothing_of_it(
    alice: Api, api: Api, services: Services, executor: FakeExecutor
) -> None:
    seeds: list[int] = []

    def make(seed: int, index: int) -> dict[str, Any]:
        seeds.append(seed)
        return made_case(seed, index)

    executor.judge_call, executor.make_case = lenient, make
    assert api.sign_up("moda").publish(drawing_suite("moda")).status_code == 201
    first, second = measured(alice, services), measured(alice, services, "1.1.0")
    assert first["slices"]["origin:held"]["fp"] == second["slices"]["origin:held"]["fp"] == 150
    assert len(set(seeds)) == 4, "one for each release, and one for a second look at whether the seed matters"
    told = json.dumps(first)
    assert DRAWN_WORDS not in told
    assert TELLING not in told, "whoever wrote the generator would know which case it was"
    names = [{one["case"] for one in report["failures"] if one["origin"] == "held"} for report in (first, second)]
    assert not names[0] & names[1]
    assert TELLING not in alice.get("/packages/alice/small-sums/releases/1.0.0/audit?failures=all").text


def test_a_suite_that_cannot_draw_here_does_not_end_the_audits_of_others(
    alice: Api, api: Api, services: Services, executor: FakeExecutor
) -> None:
    """One that asks for more memory than the operator gives any more failed the audit of each verifier it is for."""
    executor.judge_call, executor.make_case = exact, made_case
    greedy = drawing_suite("moda", table="\n[sandbox]\nmemory_mb = 4000\n")
    assert api.sign_up("moda").publish(greedy).status_code == 201
    less = services.settings.execution.model_copy(update={"most_memory_mb": 2000})
    services = replace(services, settings=services.settings.model_copy(update={"execution": less}))
    assert "origin:held" not in measured(alice, services)["slices"]


def test_nobody_without_standing_makes_held_cases(
    alice: Api, bob: Api, services: Services, executor: FakeExecutor
) -> None:
    executor.judge_call, executor.make_case = exact, made_case
    assert bob.publish(drawing_suite("bob")).status_code == 201
    assert alice.publish(drawing_suite("alice")).status_code == 201
    assert "origin:held" not in measured(alice, services)["slices"]


def test_a_suite_that_counts_has_what_is_there_measured_again(
    alice: Api, api: Api, bob: Api, services: Services, executor: FakeExecutor, clock: FakeClock
) -> None:
    executor.judge_call = lenient
    assert "origin:suite" not in measured(alice, services)["slices"]
    assert bob.publish(suite_of("bob")).status_code == 201
    run_jobs(services)
    clock.advance(60)
    run_jobs(services)
    assert len(alice.get(f"{PACKAGE}/releases/1.0.0/audits").json()["items"]) == 1, "bob has no standing"
    assert api.sign_up("moda").publish(suite_of("moda")).status_code == 201
    run_jobs(services)
    clock.advance(60)
    run_jobs(services)
    found = alice.get(f"{PACKAGE}/releases/1.0.0/audits").json()["items"]
    assert len(found) == 2
    assert found[0]["report"]["slices"]["origin:suite"]["fp"] == 40


def test_a_later_version_of_a_suite_makes_no_first_look_of_cases_that_were_known(
    alice: Api, api: Api, services: Services, executor: FakeExecutor, clock: FakeClock
) -> None:
    """Or whoever writes suites and verifiers in turn would publish the suite again after each release."""
    executor.judge_call = exact
    moda = api.sign_up("moda")
    assert moda.publish(suite_of("moda")).status_code == 201
    measured(alice, services)
    files = {"cases.jsonl": cases(40)}
    again = make_package("moda/numbers", version="1.1.0", manifest=SUITE, package_files=files, code='"""No code."""')
    assert moda.publish(again).status_code == 201
    run_jobs(services)
    clock.advance(60)
    run_jobs(services)
    found = alice.get(f"{PACKAGE}/releases/1.0.0/audits").json()["items"][0]["report"]
    assert found["slices"]["origin:suite"]["tn"] == 40
    assert found["grading"]["first_look"] is None


def test_a_verifier_cannot_write_held_cases_into_its_rewards_or_errors(
    alice: Api, services: Services, executor: FakeExecutor
) -> None:
    """Whoever reads a case could smuggle it out by the numbers it returns."""

    def telling(version: str, task: dict[str, Any], response: str | None) -> Verdict:
        return Verdict(rewards={"correct": 0.5 + len(response or "") / 1000})

    executor.judge_call = telling
    held = services.settings.data / "held"
    held.mkdir()
    (held / "short-number.jsonl").write_text(cases(40, SECRET_WORDS))
    found = [one for one in measured(alice, services)["failures"] if one["origin"] == "held"]
    assert len(found) == 40
    assert [one["got"] for one in found] == [{}] * 40, "nor into a hundred rewards, a bit each"


def test_a_held_case_has_another_name_and_place_in_every_release(
    alice: Api, services: Services, executor: FakeExecutor
) -> None:
    """Or each release could tell one more bit of each case by failing on it, and an author would publish fifty."""
    executor.judge_call = lenient
    held = services.settings.data / "held"
    held.mkdir()
    (held / "short-number.jsonl").write_text(cases(40, SECRET_WORDS))
    first, second = measured(alice, services), measured(alice, services, "1.1.0")
    names = [{one["case"] for one in report["failures"] if one["origin"] == "held"} for report in (first, second)]
    assert len(names[0]) == len(names[1]) == 40
    assert not names[0] & names[1]
    assert all("incorrect" not in name for name in names[0])


def gold(version: str, task: dict[str, Any], response: str | None) -> Verdict:
    """``exact`` for a verifier that looks for the answer in info."""
    return exact(version, {"answer": task.get("info", {}).get("gold", task.get("answer"))}, response)


def measured_again(services: Services, clock: FakeClock) -> None:
    for _ in range(3):
        clock.advance(60)
        run_jobs(services)


@pytest.mark.parametrize("act", ["yank", "quarantine"])
def test_a_suite_that_goes_leaves_every_grade_that_read_it(
    alice: Api, api: Api, services: Services, executor: FakeExecutor, clock: FakeClock, act: str
) -> None:
    """A suite that was found wrong stayed in the rates until somebody asked for an audit."""
    executor.judge_call = lenient
    moda = api.sign_up("moda")
    assert moda.publish(suite_of("moda")).status_code == 201
    assert measured(alice, services)["slices"]["origin:suite"]["fp"] == 40
    gone = moda.post(f"/api/v1/packages/moda/numbers/releases/1.0.0/{act}", json={"reason": "wrong labels"})
    assert gone.status_code in (200, 201), gone.text
    measured_again(services, clock)
    audits = alice.get(f"{PACKAGE}/releases/1.0.0/audits").json()["items"]
    assert len(audits) == 2
    assert "origin:suite" not in audits[0]["report"]["slices"]


def test_a_suite_that_counts_for_nothing_costs_nobody_an_audit_when_it_goes(
    alice: Api, bob: Api, services: Services, executor: FakeExecutor, clock: FakeClock
) -> None:
    executor.judge_call = exact
    assert bob.publish(suite_of("bob")).status_code == 201
    measured(alice, services)
    assert bob.post("/api/v1/packages/bob/numbers/releases/1.0.0/yank", json={"reason": ""}).status_code == 200
    measured_again(services, clock)
    assert len(alice.get(f"{PACKAGE}/releases/1.0.0/audits").json()["items"]) == 1


def test_who_joins_the_owner_of_a_suite_makes_its_cases_the_authors(
    alice: Api, api: Api, services: Services, executor: FakeExecutor, clock: FakeClock
) -> None:
    executor.judge_call = exact
    moda = api.sign_up("moda")
    assert moda.as_person().post("/api/v1/organizations", json={"name": "team"}).status_code == 201
    assert moda.publish(suite_of("team")).status_code == 201
    assert "origin:suite" in measured(alice, services)["slices"]
    moda.as_person().request("PUT", "/api/v1/organizations/team/members", json={"account": "alice"})
    assert alice.as_person().post("/api/v1/organizations/team/invitation", json={"accept": True}).status_code == 200
    measured_again(services, clock)
    audits = alice.get(f"{PACKAGE}/releases/1.0.0/audits").json()["items"]
    assert [("origin:suite" in one["report"]["slices"]) for one in audits] == [False, True]


def test_an_account_and_its_organisation_are_one_owner_of_suites_and_the_hub_is_another(
    alice: Api, api: Api, services: Services, executor: FakeExecutor
) -> None:
    """An A takes two owners: or an organisation of one person would be the second."""
    behind: dict[str, str] = {}
    executor.before_audit = lambda plan: behind.update({case.id.partition(":")[0]: case.behind for case in plan.cases})
    moda = api.sign_up("moda")
    assert moda.as_person().post("/api/v1/organizations", json={"name": "team"}).status_code == 201
    assert [moda.publish(suite_of(owner, 4)).status_code for owner in ("moda", "team")] == [201, 201]
    held = services.settings.data / "held"
    held.mkdir()
    (held / "short-number.jsonl").write_text(cases(4, SECRET_WORDS))
    measured(alice, services)
    assert behind["moda/numbers"] == behind["team/numbers"] == "moda"
    assert behind["held"] == "the hub"


def test_a_hostile_suite_ends_nobody_elses_audit(
    alice: Api, api: Api, services: Services, executor: FakeExecutor
) -> None:
    """One row of a suite that counts left every verifier of its family that has an adapter without a letter."""
    bad = {"id": "bad", "task": {"answer": 1, "info": "no mapping"}, "response": "1", "label": "correct"}
    executor.judge_call, executor.make_case = gold, lambda seed, index: made_case(seed, index) | bad
    assert api.sign_up("moda").publish(drawing_suite("moda", json.dumps(bad) + "\n")).status_code == 201
    wheel = make_package(manifest=MANIFEST + '\n[judges.short-number]\nanswer = "info.gold"\n')
    assert alice.publish(wheel).status_code == 201
    run_jobs(services)
    report = alice.get(f"{PACKAGE}/releases/1.0.0/audits").json()["items"][0]["report"]
    assert "origin:held" not in report["slices"]
    assert report["slices"]["origin:suite"]["tn"] == report["slices"]["origin:suite"]["tp"] == 4
