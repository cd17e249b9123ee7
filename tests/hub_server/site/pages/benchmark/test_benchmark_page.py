"""What the results on one benchmark say."""

import pytest

from hub_server.kernel.services import Services
from tests.hub_server.site.conftest import Browser
from tests.making.hub import Api, run_jobs
from tests.making.wheel import make_wheel

BENCHMARK = """\
format = 1
id = "alice/ladder"
kind = "benchmark"
environments = ["alice/small-sums@1.1.0"]
split = "train"
"""


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
    assert "No results are worked out yet" in reader.get("/benchmarks").text
    page = reader.get("/benchmarks/alice/ladder")
    assert page.status == 200
    assert "Nobody has sent results on this release yet" in page.text


def test_results_become_a_leaderboard_with_intervals(reader: Browser, ladder: Api, services: Services) -> None:
    send_results(ladder, "model-little", [4, 0, 0, 1, 0, 0, 0, 0])
    send_results(ladder, "model-great", [4, 4, 4, 4, 4, 3, 4, 0])
    send_results(ladder, "model-great", [4, 4, 1, 1, 4, 0, 4, 0], harness="tool-loop")
    run_jobs(services)
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


def test_the_leaderboard_is_sorted_by_an_address_and_says_who_sent_each_entry(
    reader: Browser, ladder: Api, services: Services
) -> None:
    send_results(ladder, "model-a", [4, 0, 0, 1, 0, 0, 0, 0])
    send_results(ladder, "model-b", [4, 4, 4, 4, 4, 3, 4, 0])
    send_results(Api(ladder.app).sign_up("bob"), "model-b", [4, 4, 1, 1, 4, 0, 4, 0])
    run_jobs(services)
    page = reader.get("/benchmarks/alice/ladder")
    assert page.text.index("model-b") < page.text.index("model-a")
    assert {"/owners/alice", "/owners/bob"} <= {a.get("href") for a in page.all("a")}
    assert "and 1 submission more" in page.text
    (link,) = [a for a in page.all("a") if a.get("href") == "?sort=model#leaderboard"]
    assert "aria-current" not in link
    by_model = reader.get("/benchmarks/alice/ladder?sort=model")
    assert by_model.text.index("model-a") < by_model.text.index("model-b")
    assert by_model.all("a", href="?sort=model#leaderboard")[0]["aria-current"] == "true"
    assert reader.get("/benchmarks/alice/ladder?sort=nothing").status == 200


def test_a_strangers_model_name_is_text_and_nothing_else(reader: Browser, ladder: Api, services: Services) -> None:
    for number in range(3):
        send_results(ladder, f"<script>alert({number})</script>&\"'", [4, number, 0, 1, 2, number, 0, 3])
    run_jobs(services)
    for path in ("/benchmarks", "/benchmarks/alice/ladder"):
        page = reader.get(path)
        assert page.status == 200
        assert "<script>alert" not in page.html
        assert all("alert" not in (script.get("src") or "") for script in page.all("script"))


def test_every_picture_has_words_or_is_decoration_and_nothing_is_styled_inline(
    reader: Browser, ladder: Api, services: Services
) -> None:
    for number in range(5):
        for harness in ("one", "two"):
            send_results(ladder, f"m{number}", [min(4, number + k % 3) for k in range(20)], harness)
    run_jobs(services)
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


def test_hardness_is_the_share_that_is_not_solved(reader: Browser, ladder: Api, services: Services) -> None:
    """More is harder; the page once showed the share that is solved under this name."""
    send_results(ladder, "strong", [4, 4, 4, 4, 4, 4, 4, 3])
    run_jobs(services)
    page = reader.get("/benchmarks/alice/ladder")
    words = page.text.split("Hardness: how often a task is not solved")[1]
    shown = float(words.split()[0].replace("\u202f", " ").split()[0])
    assert shown < 10
