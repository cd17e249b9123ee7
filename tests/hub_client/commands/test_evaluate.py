"""``verihub eval`` from end to end: a model's server, a hub, harnesses in boxes, a kill in the middle, and every refusal."""

import itertools
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hub_client.client import Hub
from hub_client.commands.evaluate import TrustLevel, _cell_lines, _default_harness
from hub_client.errors import HubUnreachableError, NotFoundError
from hub_client.evaluation.built_in_loop import BuiltInLoop
from hub_client.packaging.pack import pack
from hub_client.settings import ClientSettings
from hub_client.transport.requests import accounts, audits, packages
from hub_client.transport.requests.benchmarks import get_report
from hub_client.transport.requests.runs import list_rollouts, list_runs
from schemas.account import AccountCreate
from schemas.kinds import PackageKind
from schemas.run import RunState
from tests.hub_client.commands.model_server import Model, prompt_of, saying
from tests.making.project import make_project

pytestmark = pytest.mark.together("live_hub")

COLLECTION = Path(__file__).parents[3] / "collection"
BENCH = "lecture/letters-bench"
LETTERS = {
    f"How many times does the letter {letter} occur in {word}? Answer with the number only.": str(word.count(letter))
    for word, letter in (
        ("banana", "a"), ("strawberry", "r"), ("committee", "t"), ("bookkeeper", "e"), ("mississippi", "s"),
        ("assessment", "s"), ("possession", "o"), ("nevertheless", "v"),
        ("coffee", "f"), ("balloon", "l"),
    )
}  # fmt: skip
MANIFEST = """\
format = 1
id = "lecture/letters-bench"
kind = "benchmark"
environments = ["reader/letters@>=0.1"]
harnesses = ["lecture/tool-loop@>=1,<2", "lecture/search-loop@>=1,<2"]
splits = ["train"]
"""


@pytest.fixture(scope="session")
def bench(hub_address, shared_release, tmp_path_factory) -> str:
    """The first-party harnesses and a benchmark on the live hub; returns the token of their owner."""
    home = tmp_path_factory.mktemp("home")
    settings = ClientSettings.load(url=hub_address, config_dir=home / "config", cache_dir=home / "cache")
    folder = make_project(
        tmp_path_factory.mktemp("bench") / "bench", BENCH, PackageKind.BENCHMARK, files={"verihub.toml": MANIFEST}
    )
    with Hub(settings=settings) as hub:
        token = hub.send(
            accounts.sign_up(AccountCreate(name="lecture", email="l@example.org", password="x" * 20))
        ).token
    with Hub(settings=settings.model_copy(update={"token": token})) as hub:
        names = ("python-search", "single-turn", "tool-loop", "search-loop", "plan-then-act")
        for project in [*(COLLECTION / name for name in names), folder]:
            packed = pack(project, hub.cache)
            hub.send(packages.publish(packed.data, packed.digest))
    return token


@pytest.fixture
def hub(hub_address, bench, tmp_path):
    with Hub(settings=ClientSettings.load(url=hub_address, token=bench, cache_dir=tmp_path / "cache")) as made:
        yield made


@pytest.fixture
def model():
    served = Model()
    yield served
    served.close()


@pytest.fixture
def evaluate(verihub, model, bench, hub_address, monkeypatch, tmp_path):
    """``evaluate(target, …)`` against the model, into ``tmp_path/out``."""
    monkeypatch.setenv("VERIHUB_URL", hub_address)
    monkeypatch.setenv("VERIHUB_TOKEN", bench)

    def call(target: str, *more: Any, endpoint: str = "", name: str = "scripted", out: str = "out") -> Any:
        where = ["--endpoint", endpoint or model.url, "--model", name, "--output", tmp_path / out]
        return verihub("eval", target, *where, "--format", "json", *more)

    return call


def searching(body: dict[str, Any]) -> dict[str, Any]:
    """Knows nothing without a search, everything after one."""
    if body["messages"][-1]["role"] == "tool":
        return saying(LETTERS[prompt_of(body)])
    if body.get("tools"):
        function = {
            "name": body["tools"][0]["function"]["name"],
            "arguments": {"query": "number of non-overlapping occurrences of substring"},
        }
        return saying("") | {
            "tool_calls": [{"function": function}]
        }  # no id, arguments as an object: as some servers do
    return saying("7")


def test_a_benchmark_runs_with_and_without_search_and_everything_reaches_the_hub(evaluate, model, hub) -> None:
    model.answer = searching
    said = evaluate(BENCH, "--samples", 2)
    assert said.code == 0, said.err
    plain, search = said.json["cells"]
    assert (plain["harness"], plain["pass_rate"]) == ("lecture/tool-loop", 0.0)
    assert (search["harness"], search["pass_rate"], search["tasks"]) == ("lecture/search-loop", 1.0, len(LETTERS))
    assert "str.count" in json.dumps(model.asked), "the search answered out of the documentation"
    # A small audit buys no good grade: marked, and the interval says how little it allows to know.
    assert (search["verifier"], search["grade"], search["audited"]) == ("weak", "D", "reader/letters@0.1.0")
    assert search["corrected"]["low"] < search["observed"]["low"] < 1
    run_id = said.json["run"].rsplit("/", 1)[-1]
    run = hub.runs.get(run_id)
    assert (run.state, [outcome.pass_rate for outcome in run.outcomes]) == (RunState.FINISHED, [0.0, 1.0])
    assert {"lecture/search-loop", "lecture/python-search", "reader/letters", BENCH} <= {
        p.package for p in run.packages
    }
    rollouts = hub.send(list_rollouts(run_id)).items
    assert len(rollouts) == 20
    assert hub.send(list_rollouts(run_id)).next, "all 32 are there, 20 a page"
    assert rollouts[0].rewards.keys() == {"correct", "brief"}
    report = _wait_for_report(hub)
    (change,) = report.harness_changes
    assert {change.first, change.second} == {"lecture/tool-loop", "lecture/search-loop"}
    assert abs(change.difference.value) == 1.0


def _wait_for_report(hub: Hub) -> Any:
    deadline = time.monotonic() + 180
    while True:
        try:
            report = hub.send(get_report(BENCH, "latest"))
            if len(report.leaderboard) == 2:
                return report
        except NotFoundError:
            if time.monotonic() > deadline:
                raise
        assert time.monotonic() < deadline
        time.sleep(0.2)


def test_killed_in_the_middle_it_goes_on_without_repeating_a_finished_rollout(
    evaluate, model, hub, hub_address, bench, tmp_path
) -> None:
    answered, is_killed = itertools.count(), threading.Event()

    def answer_six(body: dict[str, Any]) -> dict[str, Any]:
        """And leave whoever asks then waiting: the kill finds six attempts done and one request of each worker open."""
        if next(answered) >= 6:
            is_killed.wait()
        return saying(LETTERS[prompt_of(body)])

    model.answer = answer_six
    command = [sys.executable, "-m", "hub_client.commands.main", "eval", "reader/letters", "--split", "train"]
    options = ["--model", "scripted", "--endpoint", model.url, "--output", str(tmp_path / "out"), "--samples", "3",
               "--workers", "2", "--harness", "lecture/single-turn"]  # fmt: skip
    given = {"VERIHUB_URL": hub_address, "VERIHUB_TOKEN": bench, "VERIHUB_BACKEND": "local", "VERIHUB_MODEL_KEY": "killed",
             "VERIHUB_SANDBOX_TRUST_LOCAL_CODE": "true"}  # fmt: skip
    attempts = tmp_path / "out" / "attempts.jsonl"
    process = subprocess.Popen([*command, *options], env={**os.environ, **given}, start_new_session=True)
    deadline = time.monotonic() + 180
    while not attempts.exists() or attempts.read_bytes().count(b"\n") < 6:
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    is_killed.set()
    with attempts.open("a") as file:
        file.write('{"cell": "half a li')  # what a machine that loses power may leave
    finished = Counter(
        (row["task_id"], row["sample"]) for row in map(json.loads, attempts.read_text().splitlines()[:-1])
    )
    assert finished.total() == 6
    model.answer = lambda body: saying(LETTERS[prompt_of(body)])
    said = evaluate("reader/letters", "--split", "train", "--samples", 3, "--harness", "lecture/single-turn")
    assert said.code == 0, said.err
    assert model.keys.count("") == 3 * len(LETTERS) - 6, (
        "requests of the killed one, which may arrive late, bear its key"
    )
    assert said.json["cells"][0]["pass_rate"] == 1.0
    rows = [json.loads(line) for line in attempts.read_text().splitlines()]
    assert Counter((row["task_id"], row["sample"]) for row in rows) == Counter(
        {(row["task_id"], row["sample"]): 1 for row in rows}
    )
    assert len(rows) == 3 * len(LETTERS)
    (run,) = [one for one in hub.send(list_runs()).items if one.name.startswith("eval-reader-letters-scripted")
              and one.id == said.json["run"].rsplit("/", 1)[-1]]  # fmt: skip
    again = evaluate("reader/letters", "--split", "train", "--samples", 3, "--harness", "lecture/single-turn")
    assert again.json["run"] == said.json["run"], "the folder's run is found again"
    assert sum(len(page) for page in _all_rollouts(hub, run.id)) == 3 * len(LETTERS), "no rollout is sent twice"


def _all_rollouts(hub: Hub, run_id: str) -> list[list[Any]]:
    pages, cursor = [], None
    while True:
        page = hub.send(list_rollouts(run_id, cursor))
        pages.append(page.items)
        if page.next is None:
            return pages
        cursor = page.next


ONE = ("--split", "train", "--tasks", 1, "--harness", "lecture/single-turn")


@pytest.mark.parametrize(
    ("answer", "code", "words"),
    [
        (lambda _: (401, '{"error": "bad key"}'), 3, "set VERIHUB_MODEL_KEY, or VERIHUB_JUDGE_KEY for a judge model"),
        (lambda _: (404, '{"error": "no such model"}'), 8, "no model 'scripted'"),
        (lambda _: (429, "slow down"), 8, "too busy, six times in a row: use fewer --workers"),
        (lambda _: (500, "out of memory"), 8, "fails (500), six times in a row. It said: out of memory"),
        (lambda _: (400, "no such thing"), 8, "refuses the request (400): no such thing"),
        (lambda _: b"<html>hello</html>", 8, "is not JSON"),
        (lambda _: b'{"choices": []}', 8, "not a chat completion"),
        (lambda _: b'{"choices": [{"message": {"content": 7}}]}', 8, "not a chat completion"),
        (lambda _: b"[]", 8, "not a chat completion"),
    ],
)  # fmt: skip
def test_a_server_that_refuses_or_talks_nonsense_is_named_and_what_to_do(evaluate, model, answer, code, words) -> None:
    model.answer = answer
    said = evaluate("reader/letters", *ONE, "--no-hub")
    assert (said.code, said.out) == (code, "")
    assert words in said.err
    assert "Traceback" not in said.err


@pytest.mark.parametrize(
    ("endpoint", "code", "words"),
    [
        ("http://127.0.0.1:1/v1", 8, "nothing answers at http://127.0.0.1:1/v1"),
        ("localhost:8000/v1", 2, "--endpoint is an address such as"),
        ("http://no-such-host.invalid/v1", 8, "nothing answers at"),
    ],
)
def test_a_wrong_endpoint_is_said_at_once(evaluate, tmp_path, endpoint, code, words) -> None:
    said = evaluate("reader/letters", *ONE, "--no-hub", endpoint=endpoint)
    assert said.code == code, said.err
    assert words in said.err
    assert not (tmp_path / "out").exists(), "what could not begin leaves nothing"
    assert "goes on there" not in said.err


def test_an_evaluation_that_cannot_begin_leaves_no_run_on_the_hub(evaluate, hub, tmp_path) -> None:
    before = [run.id for run in hub.send(list_runs()).items]
    said = evaluate("reader/letters", *ONE, endpoint="http://127.0.0.1:1/v1")
    assert said.code == 8
    assert [run.id for run in hub.send(list_runs()).items] == before
    assert not (tmp_path / "out").exists()


def test_who_is_not_logged_in_hears_it_before_the_model_is_asked(evaluate, model, monkeypatch, tmp_path) -> None:
    monkeypatch.delenv("VERIHUB_TOKEN")
    said = evaluate("reader/letters", *ONE)
    assert said.code == 3
    assert "--no-hub evaluates without an account" in said.err
    assert (model.asked, (tmp_path / "out").exists()) == ([], False)


def test_the_address_without_v1_says_so(evaluate, model) -> None:
    said = evaluate("reader/letters", *ONE, "--no-hub", endpoint=model.root)
    assert said.code == 8
    assert "up to /v1" in said.err


def test_a_busy_server_is_asked_again(evaluate, model) -> None:
    answers = iter([(429, "wait"), (503, "wait"), saying("3")])
    model.answer = lambda _: next(answers)
    said = evaluate("reader/letters", *ONE, "--no-hub")
    assert said.code == 0, said.err
    assert said.json["cells"][0]["pass_rate"] == 1.0


@pytest.mark.parametrize(
    ("said", "without", "with_"),
    [
        (
            "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
            "max_tokens",
            "max_completion_tokens",
        ),
        ('{"detail": [{"loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]}', "seed", "max_tokens"),
    ],
)
def test_a_server_that_names_a_setting_otherwise_is_asked_its_way(evaluate, model, said, without, with_) -> None:
    model.answer = lambda body: (400, said) if without in body else saying("3")
    done = evaluate("reader/letters", "--split", "train", "--tasks", 3, "--harness", "lecture/single-turn", "--no-hub",
                    "--workers", 1)  # fmt: skip
    assert done.code == 0, done.err
    assert [without in body for body in model.asked] == [True, False, False, False], "refused once, remembered"
    assert with_ in model.asked[-1]


@pytest.mark.parametrize(
    "refusal",
    [
        '{"error": {"code": "context_length_exceeded", "message": "too long"}}',
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens",
        '{"error": {"type": "exceed_context_size_error"}}',
    ],
)
def test_a_conversation_that_no_longer_fits_ends_that_attempt_and_no_other(evaluate, model, hub, refusal) -> None:
    long = "banana"
    model.answer = lambda body: (400, refusal) if long in prompt_of(body) else saying(LETTERS[prompt_of(body)])
    said = evaluate("reader/letters", "--split", "train", "--harness", "lecture/single-turn")
    assert said.code == 0, said.err
    (cell,) = said.json["cells"]
    assert (cell["overflowed"], cell["tasks"], cell["pass_rate"]) == (1, 10, 9 / 10)
    rollouts = hub.send(list_rollouts(said.json["run"].rsplit("/", 1)[-1])).items
    (stopped,) = [rollout for rollout in rollouts if rollout.task_id == "banana-a"]
    assert "does not fit" in stopped.error


def test_cut_off_answers_are_counted_and_shown(evaluate, verihub, model, tmp_path, hub_address) -> None:
    model.answer = lambda body: saying("let me think") | {"finish_reason": "length"}
    said = verihub("eval", "reader/letters", *ONE, "--no-hub", "--endpoint", model.url, "--model", "m",
                   "--output", tmp_path / "out", "--max-tokens", 3)  # fmt: skip
    assert said.code == 0, said.err
    assert "1 of 1 attempts have an answer that was cut off (--max-tokens 3)" in said.out
    assert "grade D, BELOW C: passes may be wrong (audit of reader/letters@0.1.0, 38 cases)" in said.out
    assert "observed   0.0 % (0.0 to" in said.out
    assert "corrected  0.0 % (0.0 to" in said.out


def test_an_unaudited_verifier_is_marked_and_not_corrected(verihub, evaluate, model, tmp_path) -> None:
    folder = make_project(tmp_path / "mine", "lecture/mine", PackageKind.ENVIRONMENT)
    model.answer = lambda body: saying("3")
    said = verihub(
        "eval", folder, *ONE, "--no-hub", "--endpoint", model.url, "--model", "m", "--output", tmp_path / "o"
    )
    assert said.code == 0, said.err
    assert "UNAUDITED" in said.out
    assert "corrected  cannot be said: nobody measured its verifier" in said.out


def test_a_folder_of_another_evaluation_is_refused_with_what_differs(evaluate) -> None:
    assert evaluate("reader/letters", *ONE, "--no-hub").code == 0
    said = evaluate("reader/letters", *ONE, "--no-hub", "--temperature", 0.7, name="other")
    assert said.code == 5
    assert "model 'scripted', not 'other'" in said.err
    assert "temperature 0.0, not 0.7" in said.err


def test_an_extra_tool_is_a_harness_of_its_own_and_its_attempts_are_kept_apart(evaluate, model) -> None:
    model.answer = searching
    base = ("reader/letters", "--split", "train", "--tasks", 2, "--no-hub", "--harness", "lecture/tool-loop")
    without = evaluate(*base).json["cells"][0]
    with_search = evaluate(*base, "--tool", "lecture/python-search").json["cells"][0]
    assert (without["harness"], without["pass_rate"]) == ("lecture/tool-loop", 0.0)
    assert (with_search["harness"], with_search["pass_rate"]) == ("lecture/tool-loop + lecture/python-search", 1.0)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--harness", "lecture/python-search"), "is a tool, no harness"),
        (("--tool", "lecture/single-turn"), "without tools of its own"),
        (("--split", "test"), "say how many with --tasks"),
    ],
)
def test_options_that_make_no_sense_are_explained(evaluate, more, words) -> None:
    said = evaluate("reader/letters", "--no-hub", *more)
    assert said.code == 2, said.err
    assert words in said.err


def test_a_local_model_takes_no_endpoint(evaluate) -> None:
    said = evaluate("reader/letters", *ONE, "--no-hub", name="local:smollm2")
    assert (said.code, "leave out --endpoint" in said.err) == (2, True)


def test_the_key_goes_to_the_models_server_and_nowhere_else(evaluate, model, monkeypatch) -> None:
    monkeypatch.setenv("VERIHUB_MODEL_KEY", "secret-key")
    said = evaluate("reader/letters", *ONE)
    assert said.code == 0, said.err
    assert model.keys == ["Bearer secret-key"]
    assert "secret-key" not in said.out + said.err


def test_the_audit_that_applies_is_the_pinned_releases(evaluate, hub) -> None:
    cell = evaluate("reader/letters", *ONE, "--no-hub").json["cells"][0]
    record = hub.send(audits.list_audits("reader/letters", "0.1.0")).items[0]
    assert record.report is not None
    assert cell["grade"] == record.report.grade


@pytest.mark.parametrize(
    ("audit", "words"),
    [
        (None, "UNAUDITED: nobody knows what a pass is worth"),
        (
            SimpleNamespace(case_count=7, evidence_words="7 cases"),
            "UNRATED: the audit of lecture/x@1.0.0 has too few independent cases (7) for a grade, so nobody knows what",
        ),
    ],
)
def test_an_audit_of_too_few_cases_is_told_apart_from_none(audit: Any, words: str) -> None:
    """Both have the trust level of nobody's audit; only one of the two is mended by more cases."""
    result = SimpleNamespace(
        cell=SimpleNamespace(
            environment=SimpleNamespace(package=SimpleNamespace(reference="lecture/x@1.0.0")),
            harness=SimpleNamespace(name="single-turn"),
        ),
        observed=None, corrected=SimpleNamespace(estimate=None, reason="nothing was judged"), audit=audit,
        audited="lecture/x@1.0.0", trust_level=TrustLevel.UNAUDITED, failed=0, unjudged=0, overflowed=0, truncated=0,
        rollouts=[], reasons={}, counts=[], played_again=0,
    )  # fmt: skip
    said = " ".join("\n".join(_cell_lines(result, 10)).split())  # type: ignore[arg-type]
    assert words in said


@pytest.mark.parametrize(
    ("error", "words"),
    [(NotFoundError("no such package"), "has no harness"), (HubUnreachableError("offline"), "could not be asked for")],
)
def test_why_the_built_in_harness_is_used_is_told_as_it_is(error: Exception, words: str) -> None:
    told: list[str] = []

    def load(_name: str) -> None:
        raise error

    context = SimpleNamespace(
        settings=SimpleNamespace(url="http://hub.example"),
        output=SimpleNamespace(remark=told.append),
        hub=SimpleNamespace(load=load, runner=lambda: None),
    )
    assert _default_harness(context, []).name == BuiltInLoop().name  # type: ignore[arg-type]
    assert words in told[0]
