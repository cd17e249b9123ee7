"""A suite's leaderboard: over the API and on its page."""

import json
import re
from typing import Any

from sqlalchemy import event

from hub_server.audits.actions import get_suite_leaderboard
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.verdict import Verdict
from tests.fakes.clock import FakeClock
from tests.fakes.executor import FakeExecutor
from tests.making.hub import PASSWORD, Api, make_package, run_jobs
from tests.making.wheel import MANIFEST

SUITE = 'format = 1\nid = "moda/numbers"\nkind = "suite"\nfamily = "short-number"\naudit = ["cases.jsonl"]\n'
LEADERBOARD = "/api/v1/packages/moda/numbers/leaderboard"


def cases(count: int, mislabelled: str = "") -> str:
    rows = [
        {"id": f"{label}{n}", "label": label, "response": f"{chr(97 + n % 26)}{n}x {2 * n + wrong}",
         "task": {"id": f"s{n}", "prompt": f"{n} + {n}?", "answer": 2 * n}}
        for n in range(count)
        for label, wrong in (("correct", 0), ("incorrect", 1))
    ]  # fmt: skip
    for row in rows:
        if row["id"] == mislabelled:
            row["response"] = f"never mind {row['task']['answer'] + 5}"
    return "".join(json.dumps(row) + "\n" for row in rows)


def judging(version: str, task: dict[str, Any], response: str | None) -> Verdict:
    """Release 1.0.0 is exact, release 2.0.0 takes any digit."""
    right = (response or "").split()[-1:] == [str(task["answer"])]
    return Verdict(rewards={"correct": 1.0 if version == "2.0.0" else float(right)})


def publish_suite(api: Api, mislabelled: str = "") -> None:
    files = {"cases.jsonl": cases(40, mislabelled)}
    wheel = make_package("moda/numbers", manifest=SUITE, package_files=files, code='"""No code."""')
    assert api.sign_up("moda").publish(wheel).status_code == 201


def publish_verifier(api: Api, owner: str, version: str) -> None:
    manifest = MANIFEST.replace("alice/small-sums", f"{owner}/small-sums") + "\n[judges.short-number]\n"
    wheel = make_package(f"{owner}/small-sums", version=version, manifest=manifest)
    assert api.publish(wheel).status_code == 201


def test_verifiers_stand_in_order_and_a_label_that_all_contradict_is_pointed_at(
    alice: Api, bob: Api, api: Api, services: Services, executor: FakeExecutor
) -> None:
    executor.judge_call = judging
    publish_suite(api, mislabelled="correct7")
    publish_verifier(alice, "alice", "1.0.0")
    publish_verifier(bob, "bob", "1.0.0")
    run_jobs(services)
    found = alice.get(LEADERBOARD).json()
    assert [one["package"] for one in found["rows"]] == ["alice/small-sums", "bob/small-sums"]
    assert found["is_counted"]
    assert found["against_all"] == 1
    assert [(one["case"], one["wrong"], one["of"]) for one in found["contested"]] == [("correct7", 2, 2)]
    page = alice.get("/packages/moda/numbers").text
    assert "every one of them says the opposite of the label" in page
    assert "never mind 19" in page


def test_where_verifiers_part_is_told_apart_from_where_all_are_against_the_label(
    alice: Api, bob: Api, api: Api, services: Services, executor: FakeExecutor
) -> None:
    executor.judge_call = judging
    publish_suite(api)
    publish_verifier(alice, "alice", "1.0.0")
    publish_verifier(bob, "bob", "2.0.0")
    run_jobs(services)
    found = alice.get(LEADERBOARD).json()
    assert [(one["package"], one["grade"]) for one in found["rows"]] == [
        ("alice/small-sums", "C"),
        ("bob/small-sums", "F"),
    ]
    assert (found["disagreed"], found["against_all"]) == (40, 0)


def test_a_suite_that_nobody_judges_says_how_to_be_measured_on_it(alice: Api, api: Api) -> None:
    publish_suite(api)
    assert alice.get(LEADERBOARD).json()["rows"] == []
    assert "[judges.short-number]" in alice.get("/packages/moda/numbers").text


def test_a_suite_without_standing_says_that_it_counts_for_nothing(bob: Api) -> None:
    manifest = SUITE.replace("moda", "bob")
    wheel = make_package("bob/numbers", manifest=manifest, package_files={"cases.jsonl": cases(4)}, code='"""No."""')
    assert bob.publish(wheel).status_code == 201
    assert "count for no grade yet" in bob.get("/packages/bob/numbers").text


def test_a_suites_header_shows_no_rates_as_unknown(alice: Api, api: Api) -> None:
    """It judges nothing, so a calliper that says "unknown" twice says that somebody forgot to measure it."""
    publish_suite(api)
    head = alice.get("/packages/moda/numbers").text.partition("</header>")[0]
    assert "unknown" not in head.partition('class="verdictline')[2]
    assert "judges nothing itself" in alice.get("/packages/moda/numbers").text


def test_only_suites_have_a_leaderboard(alice: Api) -> None:
    publish_verifier(alice, "alice", "1.0.0")
    assert alice.get("/api/v1/packages/alice/small-sums/leaderboard").status_code == 422
    assert alice.get("/api/v1/packages/alice/none/leaderboard").status_code == 404


def test_a_package_page_says_what_a_better_letter_needs(
    alice: Api, api: Api, services: Services, executor: FakeExecutor
) -> None:
    executor.judge_call = judging
    publish_verifier(alice, "alice", "1.0.0")
    run_jobs(services)
    page = alice.get("/packages/alice/small-sums").text
    assert "These are too few independent cases for a grade." in page
    [need] = re.findall(r"For a better grade: (.*)", page)
    assert "any grade takes at least" in need, "what any grade needs comes before what a better one needs"


def test_a_page_costs_the_same_number_of_statements_however_many_verifiers_stand_on_it(
    alice: Api, bob: Api, api: Api, services: Services, executor: FakeExecutor
) -> None:
    """It read thirty whole reports a page, and asked for the members of every owner."""
    executor.judge_call = judging
    publish_suite(api)

    def cost(count: int) -> int:
        sent: list[str] = []
        event.listen(services.database.engine, "before_cursor_execute", lambda *rest: sent.append(rest[2]))
        with services.database.reading() as session:
            found = get_suite_leaderboard(UnitOfWork(session, services), "moda/numbers")
        assert len(found.rows) == count
        assert not any("audits" in statement for statement in sent), "no report is read"
        return len(sent)

    costs = []
    for count, (who, owner) in enumerate([(alice, "alice"), (bob, "bob"), (api.sign_up("carol"), "carol")], start=1):
        publish_verifier(who, owner, "2.0.0" if owner == "alice" else "1.0.0")
        run_jobs(services)
        costs.append(cost(count))
    assert len(set(costs)) == 1, costs


def test_what_a_newer_audit_does_not_measure_any_more_stands_no_longer(
    alice: Api, api: Api, services: Services, executor: FakeExecutor, clock: FakeClock
) -> None:
    executor.judge_call = judging
    publish_suite(api)
    publish_verifier(alice, "alice", "1.0.0")
    run_jobs(services)
    assert len(alice.get(LEADERBOARD).json()["rows"]) == 1
    wheel = make_package("alice/small-sums", version="1.1.0")
    assert alice.publish(wheel).status_code == 201
    run_jobs(services)
    clock.advance(60)
    run_jobs(services)
    assert alice.get(LEADERBOARD).json()["rows"] == []


def test_a_suites_page_says_who_labelled_its_cases(alice: Api, api: Api) -> None:
    rows = [json.loads(line) for line in cases(3).splitlines()]
    for row, by in zip(rows, ["a rule"] * 4 + ["<b>two annotators</b>", ""], strict=True):
        row |= {"labelled_by": by, "source": "made here", "licence": "MIT"}
    files = {"cases.jsonl": "".join(json.dumps(row) + "\n" for row in rows)}
    wheel = make_package("moda/numbers", manifest=SUITE, package_files=files, code='"""No code."""')
    assert api.sign_up("moda").publish(wheel).status_code == 201
    told = [(one["labelled_by"], one["cases"]) for one in alice.get(LEADERBOARD).json()["provenance"]]
    assert told == [("a rule", 4), ("", 1), ("<b>two annotators</b>", 1)]
    page = alice.get("/packages/moda/numbers").text
    assert "&lt;b&gt;two annotators" in page
    assert "not said" in page


def test_a_suites_page_says_what_is_known_of_its_label_error(
    alice: Api, bob: Api, api: Api, services: Services, executor: FakeExecutor
) -> None:
    executor.judge_call = judging
    publish_suite(api, mislabelled="correct7")
    first = alice.get(LEADERBOARD).json()["labels"]
    assert (first["cases"], first["reported"], first["people"], first["against_majority"]) == (80, 0, 0, None)
    page = alice.get("/packages/moda/numbers").text
    assert "How many of its 80 labels are wrong is not known" in page
    assert "There is no sign of a wrong label either." in page
    for who, owner in ((alice, "alice"), (bob, "bob"), (api.sign_up("carol"), "carol")):
        publish_verifier(who, owner, "1.0.0")
    run_jobs(services)
    report = alice.post("/api/v1/packages/moda/numbers/cases/report", json={"case": "correct7", "reason": "it is not"})
    assert report.status_code == 201, report.text
    case = report.json()["id"]
    assert bob.post(f"/api/v1/packages/moda/numbers/cases/{case}/second").status_code < 300
    found = alice.get(LEADERBOARD).json()["labels"]
    assert (found["reported"], found["people"], found["verifiers"], found["against_majority"]) == (1, 2, 3, 1)
    page = " ".join(alice.get("/packages/moda/numbers").text.split())
    assert "1 case, by 3 verifiers" in page
    assert "1 reported as wrong, by or with a word of 2 people" in page
    assert "What follows are signs" in page


def test_a_suites_page_says_how_many_labels_its_newest_release_turned(alice: Api, api: Api) -> None:
    publish_suite(api)
    assert alice.get(LEADERBOARD).json()["labels"]["changed"] is None
    rows = [json.loads(line) for line in cases(40).splitlines()]
    rows[0]["label"] = "incorrect"
    files = {"cases.jsonl": "".join(json.dumps(row) + "\n" for row in rows)}
    wheel = make_package("moda/numbers", version="1.1.0", manifest=SUITE, package_files=files, code='"""No code."""')
    answer = api.post("/api/v1/login", json={"name": "moda", "password": PASSWORD})
    assert api.as_token(answer.json()["secret"]).publish(wheel).status_code == 201
    found = alice.get(LEADERBOARD).json()["labels"]
    assert (found["changed"], found["changed_since"]) == (1, "1.0.0")
    assert "since 1.0.0" in alice.get("/packages/moda/numbers").text
