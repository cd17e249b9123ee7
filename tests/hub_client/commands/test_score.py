"""One verdict: what a newcomer types wrongly gets a sentence, and nothing that was not judged is shown as 0."""

import pytest

from hub_client.commands.score import read_json, verdict_text
from hub_client.environments import Environment
from hub_client.errors import UsageError
from schemas.verdict import ErrorKind, Verdict
from tests.fakes.runner import FakeRunner
from tests.hub_client.test_environments import GENERATED, load
from tests.making.wheel import make_wheel

VERIFIER = (
    'format = 1\nid = "alice/small-sums"\nkind = "verifier"\nverifier = "alice_small_sums:verify"\n'
    '[rewards.correct]\ndescription = "right"\n'
)
TARGET = "alice/small-sums"


@pytest.fixture
def asked(scripted, monkeypatch):
    """What a runner in this process was asked to judge; each is right that says 2."""
    found = []

    def judge(request):
        found.append(request)
        return Verdict(rewards={"correct": float(request.response == "2")})

    monkeypatch.setattr(
        "hub_client.client.choose_runner", lambda *_: FakeRunner(judge, [{"id": "more-7-3", "prompt": "?"}] * 9)
    )
    code = "def verify(task, response):\n    return {}\ndef generate(split, seed, index):\n    return None\n"
    scripted.add(make_wheel(manifest=GENERATED, package={"__init__.py": code}))
    return found


def test_a_task_is_named_by_its_id_or_written_out(verihub, asked):
    assert verihub("score", TARGET, "--task", "t1", "--response", "2").out.startswith("accepted, sum 1")
    assert verihub("score", TARGET, "--task", '{"prompt": "?"}', "--response", "3", "-q").out.strip() == "correct=0"
    assert [request.task["id"] for request in asked] == ["t1", "given"]


def test_the_id_of_a_task_of_a_verifier_that_has_none_is_answered_with_what_to_give(verihub, scripted):
    """`score` and `cases add --run` said that it was no environment, and that `score` gives its verdicts."""
    scripted.add(make_wheel(manifest=VERIFIER))
    said = verihub("score", TARGET, "--task", "t1", "--response", "2")
    assert said.code == 4
    assert "is a verifier without tasks, so 't1' names none: give the whole task" in said.err


def test_a_generated_task_is_made_by_its_id(verihub, asked):
    assert verihub("score", TARGET, "--task", "more-7-3", "--response", "2").code == 0
    assert asked[0].task["id"] == "more-7-3"


@pytest.mark.parametrize(
    "task",
    ["nope", "more-x-1", "more-1", "train-0-0", "more--", "more-²-1", "more-" + "9" * 5000 + "-0"],
    ids=["word", "letters", "short", "stored", "empty", "superscript", "huge"],
)
def test_an_id_that_no_task_has_is_not_found(verihub, asked, task):
    said = verihub("score", TARGET, "--task", task, "--response", "2")
    assert (said.code, asked) == (4, []), said.err
    assert "give an id that `verihub tasks" in said.err


def test_a_response_comes_from_stdin(verihub, asked, typed):
    typed("2")
    assert verihub("score", TARGET, "--task", "t1", "--response", "-").code == 0
    assert asked[0].response == "2"


def test_nothing_to_judge_is_said(verihub, asked):
    said = verihub("score", TARGET, "--task", "t1")
    assert (said.code, asked) == (2, [])
    assert "nothing to judge" in said.err


def test_files_are_sent_by_name_and_two_of_one_name_are_refused(verihub, asked, own_folders):
    for folder in ("a", "b"):
        (own_folders / folder).mkdir()
        (own_folders / folder / "x.py").write_text(folder)
    assert verihub("score", TARGET, "--task", "t1", "--file", "a/x.py").code == 0
    assert asked[0].files == {"x.py": "a"}
    said = verihub("score", TARGET, "--task", "t1", "--file", "a/x.py", "--file", "b/x.py")
    assert (said.code, len(asked)) == (2, 1)
    assert "two files are called x.py" in said.err


@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
def test_a_file_that_cannot_be_read_is_named(verihub, asked, own_folders, content):
    if content is not None:
        (own_folders / "x.py").write_bytes(content)
    said = verihub("score", TARGET, "--task", "t1", "--file", "x.py")
    assert (said.code, asked) == (2, [])
    assert "--file: x.py" in said.err


@pytest.mark.parametrize(
    ("text", "words"),
    [("{", "not JSON"), ("[]", "must be a JSON object"), ("[" * 200_000, "nested too deeply"), ("@nowhere", "cannot be read")],
    ids=["broken", "array", "deep", "missing"],
)  # fmt: skip
def test_what_is_no_json_object_is_said_with_its_option(text, words):
    with pytest.raises(UsageError, match=f"--state.*{words}"):
        read_json(text, "--state", dict)


def test_what_was_not_judged_is_never_shown_as_zero():
    package = load()
    env = Environment(package, package, lambda: FakeRunner(lambda _: None))
    text = verdict_text(Verdict.unjudged(["correct"], ErrorKind.TIMEOUT, "too slow"), env)
    assert text.splitlines() == ["not judged", "  correct  not judged", "timeout: too slow"]
