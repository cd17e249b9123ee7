"""Two verifiers side by side, and near-duplicates over the whole hub."""

from string import digits
from typing import Any

import pytest

from hub_server.audits.rules.minhash import minhash_of, similarity
from hub_server.audits.rules.near_duplicates import Traits, behaves_alike, promise, worth_running
from hub_server.kernel.services import Services
from schemas.comparison import RewardDistance, VerifierComparison
from schemas.evidence.rates import Rate
from schemas.verdict import Verdict
from tests.fakes.executor import FakeExecutor
from tests.making.hub import Api, make_package, run_jobs
from tests.making.kept_hub import HubKeeper

CASES = "\n".join(
    f'{{"id": "{kind}{n}", "task": {{"id": "n{n}", "prompt": "{n}?", "answer": {n}}}, "response": "It is {shown}", '
    f'"label": "{label}"}}'
    for n in range(20)
    for kind, shown, label in (("r", n, "correct"), ("w", n + 1, "incorrect"))
)
CODE = '''
"""{doc}"""
def {name}(task, response):
    words = (response or "").replace(",", " ").split()
    numbers = [word.strip(".") for word in words if word.strip(".").lstrip("-").isdigit()]
    if not numbers:
        return {{"correct": 0.0}}
    {last} = numbers[-1]
    return {{"correct": float({last} == str(task["answer"]))}}
'''


def last_number(text: str) -> str | None:
    if not any(digit in text for digit in digits):  # a probe of 200,000 words without one need not be split
        return None
    backwards = (word.strip(".") for word in reversed(text.split()))
    return next((word for word in backwards if word.lstrip("-").isdigit()), None)


def judge(version: str, task: dict[str, Any], response: str | None) -> Verdict:
    """The last number decides; in 2.0.0 any mention of the answer does."""
    text = response or ""
    right = str(task.get("answer")) in text if version == "2.0.0" else last_number(text) == str(task.get("answer"))
    return Verdict(rewards={"correct": float(right)})


def wheel(package: str, version: str = "1.0.0", *, tags: str = "", name: str = "verify", last: str = "last") -> bytes:
    import_name = package.replace("/", "_").replace("-", "_")
    manifest = (
        f'format = 1\nid = "{package}"\nkind = "verifier"\nverifier = "{import_name}:{name}"\naudit = ["cases.jsonl"]\n'
        f'tags = [{tags}]\n[rewards.correct]\ndescription = "right"\n'
    )
    return make_package(
        package,
        version,
        manifest=manifest,
        code=CODE.format(doc=package, name=name, last=last),
        package_files={"cases.jsonl": CASES},
    )


@pytest.fixture
def two(keeper: HubKeeper, alice: Api, bob: Api, services: Services, executor: FakeExecutor) -> Api:
    executor.judge_call = judge
    keeper.bring("two verifiers", services, lambda: publish_two(alice, bob, services), alice=alice, bob=bob)
    return alice


def publish_two(alice: Api, bob: Api, services: Services) -> None:
    for api, package, version in ((alice, "alice/last", "1.0.0"), (bob, "bob/any", "2.0.0")):
        answer = api.publish(wheel(package, version))
        assert answer.status_code == 201, answer.text
    run_jobs(services)


PAIR = {"left": "alice/last", "right": "bob/any"}


def test_two_verifiers_are_compared_on_both_suites_and_probes(two: Api, api: Api, services: Services) -> None:
    asked = two.post("/api/v1/comparisons", json=PAIR)
    assert asked.status_code == 202
    assert asked.json()["state"] == "queued"
    run_jobs(services)
    record = api.get(f"/api/v1/comparisons/{asked.json()['id']}").json()
    result = record["result"]
    assert (record["state"], record["left"], record["right"]) == ("done", "alice/last@1.0.0", "bob/any@2.0.0")
    assert result["case_count"] - result["probe_count"] == 40  # the same cases on both sides count once
    assert result["counts"]["rejected/accepted"] > 0
    assert 0 < result["distance"]["value"] < 1
    assert {one["sides_with"] for one in result["disagreements"]} >= {"first"}
    assert result["first_digest"] != result["second_digest"]
    either_way = api.get("/api/v1/comparisons?left=bob/any&right=alice/last").json()
    assert either_way["id"] == record["id"]


def test_what_was_compared_is_not_compared_again_unless_asked(two: Api, services: Services) -> None:
    first = two.post("/api/v1/comparisons", json=PAIR).json()
    assert two.post("/api/v1/comparisons", json=PAIR).json()["id"] == first["id"]
    run_jobs(services)
    assert two.post("/api/v1/comparisons", json=PAIR).json()["state"] == "done"
    assert two.post("/api/v1/comparisons", json={**PAIR, "again": True}).json()["id"] != first["id"]


def test_what_cannot_be_compared_is_refused(two: Api, api: Api) -> None:
    post = two.post
    assert api.post("/api/v1/comparisons", json=PAIR).status_code == 401
    assert post("/api/v1/comparisons", json={**PAIR, "right": "alice/last@1.0.0"}).status_code == 422
    assert post("/api/v1/comparisons", json={**PAIR, "right": "no reference!"}).status_code == 422
    assert post("/api/v1/comparisons", json={**PAIR, "right": "bob/none"}).status_code == 404
    assert api.get("/api/v1/comparisons?left=alice/last&right=bob/any").json()["code"] == "comparison_not_found"


def test_the_page_offers_shows_and_lists(two: Api, api: Api, services: Services) -> None:
    assert '<option value="alice/last">' in api.get("/compare").text
    url = "/compare?left=alice/last&right=bob/any"
    assert "were not compared yet" in api.get(url).text
    assert "Compare them" in two.get(url).text
    sent = two.post("/compare", data=PAIR)
    assert sent.status_code == 303
    assert "Waiting to be compared" in two.get(sent.headers["location"]).text
    run_jobs(services)
    page = two.get(url).text
    assert "Where they part" in page
    assert "They agree on" in page
    assert "bob/any@2.0.0" in api.get("/compare").text
    assert "These cannot be compared" in api.get("/compare?left=alice/last&right=bob/none").text
    assert 'href="/compare?left=alice/last%401.0.0"' in two.get("/packages/alice/last/releases/1.0.0/audit").text


def test_a_comparison_that_fails_says_why(two: Api, services: Services, executor: FakeExecutor) -> None:
    asked = two.post("/api/v1/comparisons", json=PAIR).json()

    def broken(_version: str, _task: dict[str, Any], _response: str | None) -> Verdict:
        raise RuntimeError("the engine went away")

    executor.judge_call = broken
    for _ in range(10):
        run_jobs(services)
        services.clock.advance(400)  # type: ignore[attr-defined]
    record = two.get(f"/api/v1/comparisons/{asked['id']}").json()
    assert record["state"] == "failed"
    assert record["error"]


def test_a_copy_under_another_name_is_found_on_publish_and_shown_on_both_pages(
    alice: Api, bob: Api, api: Api, services: Services, executor: FakeExecutor, clock: Any
) -> None:
    executor.judge_call = judge
    alice.publish(wheel("alice/last", tags='"numbers"'))
    run_jobs(services)
    bob.publish(wheel("bob/mine", tags='"numbers"', name="check", last="found"))
    run_jobs(services)
    clock.advance(10)
    run_jobs(services)
    for package, other in (("alice/last", "bob/mine"), ("bob/mine", "alice/last")):
        found = api.get(f"/api/v1/packages/{package}/releases/1.0.0/neighbours").json()["items"]
        assert [(one["package"], one["behaves_alike"]) for one in found] == [(other, True)]
        assert found[0]["agreed"] == found[0]["judged"] >= 30
        assert found[0]["source_similarity"] > 0.9
        assert "Behaves like it" in api.get(f"/packages/{package}").text


def test_a_later_release_that_judges_otherwise_is_no_duplicate_any_more(
    alice: Api, bob: Api, api: Api, services: Services, executor: FakeExecutor, clock: Any
) -> None:
    executor.judge_call = judge
    alice.publish(wheel("alice/last"))
    bob.publish(wheel("bob/mine"))
    run_jobs(services)
    bob.publish(wheel("bob/mine", "2.0.0"))
    run_jobs(services)
    clock.advance(10)
    run_jobs(services)
    found = api.get("/api/v1/packages/bob/mine/releases/2.0.0/neighbours").json()["items"]
    assert [one["behaves_alike"] for one in found] == [False]
    assert found[0]["agreed"] < found[0]["judged"]


def test_the_page_of_a_release_says_which_verdicts_changed_since_the_one_before(
    bob: Api, api: Api, services: Services, executor: FakeExecutor, clock: Any
) -> None:
    executor.judge_call = judge
    for version in ("1.0.0", "1.1.0", "2.0.0"):
        bob.publish(wheel("bob/mine", version))
        run_jobs(services)
        clock.advance(10)
        run_jobs(services)
    same = api.get("/packages/bob/mine/releases/1.1.0/audit").text
    assert "No verdict differs from the release before" in same
    changed = api.get("/packages/bob/mine/releases/2.0.0/audit").text
    assert "Since 1.1.0" in changed
    assert "now accepted" in changed
    record = api.get("/api/v1/comparisons?left=bob/mine@1.1.0&right=bob/mine@2.0.0").json()
    assert (record["requested_by"], record["state"]) == ("hub", "done")
    assert record["result"]["disagreement_count"] > 0
    assert api.get("/api/v1/packages/bob/mine/releases/2.0.0/neighbours").json()["items"] == []


def test_comparable_verifiers_are_among_those_that_judge_stored_rollouts(
    alice: Api, bob: Api, api: Api, services: Services, executor: FakeExecutor, clock: Any
) -> None:
    executor.judge_call = judge
    alice.publish(wheel("alice/last"))
    bob.publish(wheel("bob/any", "2.0.0"))
    tasks = 'tasks = { train = "tasks.jsonl" }\n'
    manifest = (
        f'format = 1\nid = "alice/sums"\nkind = "environment"\n{tasks}verifier = "alice_sums:verify"\n'
        'audit = ["cases.jsonl"]\n[rewards.correct]\ndescription = "right"\n'
    )
    files = {"cases.jsonl": CASES, "tasks.jsonl": '{"id": "t", "prompt": "2?", "answer": 2, "split": "train"}\n'}
    answer = alice.publish(
        make_package(
            "alice/sums", manifest=manifest, code=CODE.format(doc="", name="verify", last="x"), package_files=files
        )
    )
    assert answer.status_code == 201, answer.text
    run_jobs(services)
    clock.advance(10)
    run_jobs(services)
    pin = {"package": "alice/sums", "version": "1.0.0", "digest": answer.json()["release"]["digest"]}
    run = alice.post("/api/v1/runs", json={"name": "r", "packages": [pin]}).json()
    row = {"step": 1, "package": "alice/sums", "task_id": "t", "response": "It is 2 or 3", "rewards": {"correct": 0.0}}
    alice.post(f"/api/v1/runs/{run['id']}/rollouts", json={"items": [row]})
    alice.request("PATCH", f"/api/v1/runs/{run['id']}", json={"state": "finished"})
    clock.advance(10)
    run_jobs(services)
    verdicts = api.get("/api/v1/label/questions?package=alice/sums").json()["items"][0]["verdicts"]
    assert {verdict["by"]: verdict["accepted"] for verdict in verdicts} == {
        "alice/sums@1.0.0": False,
        "bob/any@2.0.0": True,
    }  # alice/last behaves like it, so it has no annotator of its own


def compared(**more: Any) -> VerifierComparison:
    fields: dict[str, Any] = {
        "first": "a", "second": "b", "case_count": 40, "counts": {"accepted/accepted": 20, "rejected/rejected": 20},
        "agreement": Rate(value=1, low=0.9, high=1), "kappa": 1.0,
        "distance": RewardDistance(value=0.0, low=0.0, high=0.0), "disagreements": [], "judged": 40, "agreed": 40,
    }  # fmt: skip
    return VerifierComparison(**{**fields, **more})


def test_alike_means_every_verdict_of_both_kinds_and_rewards_hardly_apart() -> None:
    assert behaves_alike(compared())
    assert not behaves_alike(compared(agreed=39))
    assert not behaves_alike(compared(judged=29, agreed=29))
    assert not behaves_alike(compared(counts={"rejected/rejected": 40}))
    assert not behaves_alike(compared(distance=None))
    assert not behaves_alike(compared(distance=RewardDistance(value=0.06, low=0, high=0.1)))


def test_only_pairs_that_promise_something_are_run() -> None:
    one = Traits("1", "a/a", frozenset({("correct", "score")}), frozenset({"math"}))
    other = Traits("2", "b/b", frozenset({("correct", "score")}), frozenset({"math", "x"}))
    stranger = Traits("3", "c/c", frozenset({("style", "score")}), frozenset({"prose"}))
    assert promise(one, other, 0.2) == pytest.approx(0.95)
    assert promise(one, stranger, 0.1) == pytest.approx(0.1)
    assert worth_running([("2", 0.95), ("3", 0.1), ("4", 1.2)]) == ["4", "2"]


PROGRAM = CODE.format(doc="reads the last number", name="verify", last="last").encode()


def test_renaming_comments_and_docstrings_change_no_signature() -> None:
    renamed = PROGRAM.replace(b"numbers", b"found").replace(b"words", b"parts").replace(b"reads", b"takes") + b"# end\n"
    assert similarity(minhash_of({"a.py": PROGRAM}), minhash_of({"b.py": renamed})) == 1.0


def test_other_code_has_another_signature_and_too_little_has_none() -> None:
    other = b"import json\n" + b"".join(
        b"def f%d(task, response):\n    return {'style': len(json.dumps(task)) / %d}\n" % (n, n + 1) for n in range(9)
    )
    assert similarity(minhash_of({"a.py": PROGRAM}), minhash_of({"b.py": other})) < 0.2
    assert minhash_of({"a.py": b"x = 1\n"}) == []
    assert similarity([], []) == 0.0


def test_a_source_that_is_no_python_is_read_as_far_as_it_goes() -> None:
    assert minhash_of({"a.py": b"\xff\xfe def ((("}) == []
    assert minhash_of({"a.py": PROGRAM + b"\n'''never closed"}) != []


def test_the_estimate_is_near_the_true_similarity() -> None:
    """Two files that share half of their functions, against the exact index."""
    functions = [f"def f(a, b):\n    return a * {n} + b // {n + 1} - len(str({n * 7}))\n".encode() for n in range(60)]
    first, second = b"".join(functions[:40]), b"".join(functions[20:])
    assert similarity(minhash_of({"a.py": first}), minhash_of({"a.py": second})) == pytest.approx(1 / 3, abs=0.12)
