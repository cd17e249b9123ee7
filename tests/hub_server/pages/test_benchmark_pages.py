"""Benchmarks, reports to moderators, quarantine: by plain forms."""

import pytest

from hub_server.parts import Parts
from tests.hub_server.pages.conftest import Browser
from tests.making.hub import PASSWORD, Api, run_jobs
from tests.making.wheel import make_wheel

BENCHMARK = """\
format = 1
id = "alice/ladder"
kind = "benchmark"
environments = ["alice/small-sums@1.1.0"]
split = "train"
"""
PACKAGE = "/packages/alice/small-sums"


@pytest.fixture
def ladder(catalogue: Api) -> Api:
    """alice/ladder, a benchmark on alice/small-sums."""
    wheel = make_wheel(name="alice-ladder", manifest=BENCHMARK)
    answer = catalogue.publish(wheel)
    assert answer.status_code == 201, answer.text
    return catalogue


def send_results(alice: Api, model: str, passes: list[int], harness: str = "single-turn") -> None:
    outcomes = [{"task_id": f"t{n}", "attempts": 4, "successes": k} for n, k in enumerate(passes)]
    body = {
        "environment": "alice/small-sums",
        "environment_version": "1.1.0",
        "model": model,
        "harness": harness,
        "outcomes": outcomes,
    }
    answer = alice.post("/api/v1/benchmarks/alice/ladder/releases/1.0.0/results", json=body)
    assert answer.status_code == 201, answer.text


def test_a_benchmark_without_results_says_how_to_send_them(reader: Browser, ladder: Api) -> None:
    assert "Nobody has sent results yet" in reader.get("/benchmarks").text
    page = reader.get("/benchmarks/alice/ladder")
    assert page.status == 200
    assert "Nobody has sent results on this release yet" in page.text


def test_results_become_a_leaderboard_with_intervals(reader: Browser, ladder: Api, parts: Parts) -> None:
    send_results(ladder, "model-little", [4, 0, 0, 1, 0, 0, 0, 0])
    send_results(ladder, "model-great", [4, 4, 4, 4, 4, 3, 4, 0])
    send_results(ladder, "model-great", [4, 4, 1, 1, 4, 0, 4, 0], harness="tool-loop")
    run_jobs(parts)
    listed = reader.get("/benchmarks")
    assert "1 solved by all, 1 by none" in listed.text
    page = reader.get("/benchmarks/alice/ladder")
    assert page.headings == 1
    assert "pairs told apart" in page.text
    assert page.text.index("model-great") < page.text.index("model-little")
    assert len([a for a in page.all("svg") if "95 % interval" in a.get("aria-label", "")]) >= 3
    assert "/benchmarks/alice/ladder/releases/1.0.0" in reader.get("/packages/alice/ladder").html
    twin = page.all("link", rel="alternate", type="application/json")[0]["href"]
    assert ladder.get(twin).json()["benchmark"] == "alice/ladder"


def test_a_strangers_model_name_is_text_and_nothing_else(reader: Browser, ladder: Api, parts: Parts) -> None:
    for number in range(3):
        send_results(ladder, f"<script>alert({number})</script>&\"'", [4, number, 0, 1, 2, number, 0, 3])
    run_jobs(parts)
    for path in ("/benchmarks", "/benchmarks/alice/ladder"):
        page = reader.get(path)
        assert page.status == 200
        assert "<script>alert" not in page.html
        assert all("alert" not in (script.get("src") or "") for script in page.all("script"))


def test_every_picture_has_words_or_is_decoration_and_nothing_is_styled_inline(
    reader: Browser, ladder: Api, parts: Parts
) -> None:
    for number in range(5):
        for harness in ("one", "two"):
            send_results(ladder, f"m{number}", [min(4, number + k % 3) for k in range(20)], harness)
    run_jobs(parts)
    page = reader.get("/benchmarks/alice/ladder")
    for drawing in page.all("svg"):
        is_named = drawing.get("aria-label") and drawing.get("role") in ("img", "group")
        is_inner = not drawing.get("class")
        assert is_named or is_inner or drawing.get("aria-hidden") == "true", drawing
    assert " style=" not in page.html
    assert page.headings == 1
    ids = [a["id"] for _, a in page.elements if a.get("id")]
    assert len(ids) == len(set(ids))
    targets = {a["href"][1:] for a in page.all("a") if a.get("href", "").startswith("#")}
    assert targets <= set(ids) | {""}
    assert {"leaderboard", "hardness", "separability", "harnesses", "diversity", "contamination", "others"} <= set(ids)


def test_what_is_no_benchmark_has_no_results(reader: Browser, catalogue: Api) -> None:
    page = reader.get("/benchmarks/alice/small-sums")
    assert page.status == 404
    assert page.headings == 1


def test_a_report_reaches_the_moderators_and_ends_in_the_log(app, reader: Browser, catalogue: Api) -> None:
    reader.sign_up("jun")
    form = {"reason": "dishonest", "text": "Its labels are all the same.", "version": "1.1.0"}
    assert "Thank you" in reader.post(f"{PACKAGE}/report", form).text
    assert "Its labels are all the same" not in reader.get("/moderation").text
    moderator = Browser(app)
    moderator.sign_up("moda")
    page = moderator.get("/moderation")
    assert "Its labels are all the same." in page.text
    moderator.post(f"{PACKAGE}/releases/1.1.0/quarantine", {"reason": "Labels made to deceive."})
    action = next(a["action"] for a in page.all("form") if a.get("action", "").endswith("/decision"))
    moderator.post(action, {"state": "acted", "decision": "Quarantined."})
    log = reader.get("/moderation").text
    assert "quarantined" in log
    assert "Labels made to deceive." in log
    shown = reader.get(f"{PACKAGE}/releases/1.1.0")
    assert "Release 1.1.0 is quarantined. Labels made to deceive." in shown.text
    assert "verihub pull" not in shown.text
    assert reader.get(f"{PACKAGE}/releases/1.1.0/try").status == 410


def test_nobody_else_quarantines(reader: Browser, catalogue: Api) -> None:
    assert reader.post(f"{PACKAGE}/releases/1.1.0/quarantine", {"reason": "x"}).status == 401
    reader.post("/login", {"name": "alice", "password": PASSWORD})
    assert reader.post(f"{PACKAGE}/releases/1.1.0/quarantine", {"reason": "x"}).status == 403
    assert "is quarantined" not in reader.get(f"{PACKAGE}/releases/1.1.0").text


@pytest.mark.parametrize("form", [{"reason": "", "text": "x"}, {"reason": "malware", "text": " "}])
def test_a_report_says_what_it_lacks(reader: Browser, catalogue: Api, form: dict) -> None:
    reader.sign_up("jun")
    assert reader.post(f"{PACKAGE}/report", form).status == 422


def test_a_report_without_an_account_keeps_the_words(reader: Browser, catalogue: Api) -> None:
    page = reader.post(f"{PACKAGE}/report", {"reason": "malware", "text": "It calls home."})
    assert page.status == 401
    assert "It calls home." in page.html
