"""The audit of a release, in every state."""

from hub_server.kernel.services import Services
from schemas.verdict import ErrorKind, Verdict, VerdictError
from tests.fakes.executor import FakeExecutor
from tests.hub_server.site.conftest import Browser
from tests.making.catalogue import VECTOR_MANIFEST
from tests.making.hub import Api, make_package, run_jobs

PACKAGE = "/packages/alice/small-sums"
RELEASE = f"{PACKAGE}/releases/1.1.0"


def test_an_audit_is_shown_under_its_own_release_alone(reader: Browser, catalogue: Api) -> None:
    """Otherwise a package shows another's figures as its own."""
    audit = catalogue.get("/api/v1/packages/alice/small-sums/releases/1.1.0/audits").json()["items"][0]["id"]
    assert reader.get(f"/packages/alice/small-sums/releases/1.1.0/audits/{audit}").status == 200
    for other in ("alice/unmeasured/releases/latest", "alice/small-sums/releases/1.0.0"):
        for suffix in ("", ".md"):
            assert reader.get(f"/packages/{other}/audits/{audit}{suffix}").status == 404, other + suffix


def test_a_failure_shows_task_and_expected_answer_and_can_be_tried(
    reader: Browser, catalogue: Api, services: Services
) -> None:
    services.clock.advance(86_400)  # type: ignore[attr-defined] -- a fake clock; later than the catalogue was made
    case = {
        "id": "x",
        "task": {"id": "x", "prompt": "What is a thousand thousands?", "answer": 1000000},
        "response": "one million & no more",
        "label": "correct",
    }
    sent = catalogue.post(f"/api/v1{RELEASE}/cases", json=case).json()
    assert sent["state"] == "reproduced"
    services.clock.advance(60)  # type: ignore[attr-defined] -- as above
    run_jobs(services)
    page = reader.get(f"{RELEASE}/audit")
    for words in ("What is a thousand thousands?", "1000000", "one million & no more"):
        assert words in page.text
    assert "correct 0, accepted from 0.5 (−0.5)" in page.text
    assert (
        "correct 0, accepted from 0.5 (−0.5)"
        in reader.get(
            next(one for one in page.links if one.endswith("/report.md")).removeprefix("http://hub.test")
        ).html
    )
    assert "community:" not in page.text, "an id says nothing to a reader"
    assert "Counter-example: What is a thousand thousands?" in page.text
    assert any(link.endswith(f"{RELEASE}/cases#{sent['id']}") for link in page.links)
    (there,) = [link for link in page.links if "/try?task=" in link and "million" in link]
    tried = reader.get(there.removeprefix("http://hub.test"))
    assert tried.status == 200
    assert "one million & no more" in tried.text
    assert "What is a thousand thousands?" in tried.text


def test_a_verifier_that_cannot_be_loaded_is_not_said_to_accept_wrong_answers(
    reader: Browser, alice: Api, services: Services, executor: FakeExecutor
) -> None:
    """Nothing was judged, and the page said "10 of 10 wrong answers were accepted" and "0 not judged" alone."""
    broken = VerdictError(kind=ErrorKind.VERIFIER_FAILED, message="the package could not be loaded: no 'verfiy'")
    executor.judge_call = lambda *_: Verdict(rewards={"correct": None}, error=broken)
    alice.publish(make_package(manifest=VECTOR_MANIFEST))
    run_jobs(services)
    head, page = reader.get(PACKAGE), reader.get(f"{PACKAGE}/releases/1.0.0/audit")
    for shown in (head, page):
        assert "could not be judged: beyond 2 % of a side they count as errors" in shown.text
    assert "accepted or not judged" in page.text
    must_be = [row for row in page.html.split("<tr>") if "<b>not judged</b>" in row]
    assert must_be
    assert all("<td>accepted</td>" in row or "<td>rejected</td>" in row for row in must_be)


def test_an_audit_that_waits_says_for_what(
    reader: Browser, alice: Api, services: Services, executor: FakeExecutor
) -> None:
    executor.reason = "no Docker engine answers: start it"
    alice.publish(make_package(manifest=VECTOR_MANIFEST))
    page = reader.get("/packages/alice/small-sums/releases/1.0.0/audit")
    assert "Waiting to be measured" in page.text
    assert "hero-plot busy" in page.html
    run_jobs(services, 1)
    assert "no Docker engine answers" in reader.get("/packages/alice/small-sums/releases/1.0.0/audit").text
    assert "Waiting to be measured" in reader.get("/packages/alice/small-sums").text


def test_counter_examples_are_named_with_their_number_also_while_an_audit_waits(
    reader: Browser, catalogue: Api
) -> None:
    for number in range(12):
        case = {
            "id": f"x{number}",
            "task": {"id": f"x{number}", "prompt": f"{number} + 1?", "answer": number + 1},
            "response": f"it is {number + 1}, and not {number}",
            "label": "correct",
        }
        assert catalogue.post(f"/api/v1{RELEASE}/cases", json=case).json()["state"] == "reproduced"
    catalogue.publish(make_package(version="1.2.0", manifest=VECTOR_MANIFEST))
    for release in (RELEASE, f"{PACKAGE}/releases/1.2.0"):
        page = reader.get(f"{release}/audit")
        assert "12 unfixed counter-examples" in page.text, release
        assert "and 9 more" in page.text
    assert "Waiting to be measured" in page.text


def test_an_audit_that_failed_says_why_and_changes_no_rate(
    reader: Browser, alice: Api, services: Services, executor: FakeExecutor, clock
) -> None:
    def explode(_plan: object) -> None:
        raise RuntimeError("the disk caught fire")

    executor.before_audit = explode
    alice.publish(make_package(manifest=VECTOR_MANIFEST))
    for _ in range(12):
        run_jobs(services)
        clock.advance(600)
    page = reader.get("/packages/alice/small-sums/releases/1.0.0/audit")
    assert "The audit could not be completed" in page.text
    assert "calliper-dot-fp" not in page.html.split("<footer")[0]


def test_the_report_shows_matrix_rewards_probes_and_digests(reader: Browser, catalogue: Api) -> None:
    page = reader.get(f"{RELEASE}/audit")
    for words in (
        "Confusion matrix",
        "Per reward",
        "Probes by family",
        "Failures",
        "Latency",
        "Determinism",
        "Record",
    ):
        assert words in page.text
    assert len(page.all("svg", class_="big")) == 1
    assert "verihub audit alice/small-sums@1.1.0" in page.text


def test_earlier_audits_stay_readable(reader: Browser, catalogue: Api, services: Services) -> None:
    catalogue.post("/api/v1/packages/alice/small-sums/releases/1.1.0/audits")
    run_jobs(services)
    page = reader.get(f"{RELEASE}/audit")
    earlier = sorted(
        {link for link in page.links if "/audits/" in link and "/api/" not in link and not link.endswith(".md")}
    )
    assert len(earlier) == 2
    assert all("Confusion matrix" in reader.get(link.removeprefix("http://hub.test")).text for link in earlier)


def test_measuring_again_is_asked_for_by_a_button(reader: Browser, catalogue: Api) -> None:
    assert "Measure again" not in reader.get(f"{RELEASE}/audit").text
    reader.sign_up("jun")
    assert "Measure again on this hub" in reader.get(f"{RELEASE}/audit").text
    assert "Waiting to be measured" in reader.post(f"{RELEASE}/audits").text


def test_verdicts_that_changed_between_audits_are_listed(reader: Browser, catalogue: Api, services: Services) -> None:
    assert "changed between audits" not in reader.get(f"{RELEASE}/audit").text
    change = '[{"case": "<c1>", "before": true, "after": false, "seen_at": "2026-11-20T00:00:00Z"}]'
    with services.database.writing() as session:
        session.connection().exec_driver_sql(f"UPDATE audits SET changed = '{change}'")
    page = reader.get(f"{RELEASE}/audit").text
    assert "1 verdict changed between audits of the same bytes" in page
    assert "accepted, then rejected on" in " ".join(page.split("<c1>")[1].split())[:60]


def test_every_entry_of_the_contents_leads_to_a_place_of_the_page(reader: Browser, catalogue: Api) -> None:
    page = reader.get(f"{RELEASE}/audit")
    entries = [a["href"] for a in page.all("a", class_="chip") if a["href"].startswith("#")]
    assert {"#grade", "#evidence", "#failures", "#record"} <= set(entries)
    assert set(entries) <= {f"#{a['id']}" for _, a in page.elements if "id" in a}
