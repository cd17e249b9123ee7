import itertools
import json

import pytest

from hub_client import environments
from hub_client.errors import CheckFailedError
from hub_client.imports.draft import ImportRefusedError
from hub_client.imports.import_draft import import_draft
from schemas.verdict import ErrorKind, Verdict
from tests.fakes.runner import FakeRunner
from tests.hub_client.imports.test_project import draft_of
from tests.making.altered_library import alter_library


def _judge(call) -> Verdict:
    """Right or not; but what is unsure breaks it."""
    if call.response == "not sure":
        return Verdict.unjudged(["score"], ErrorKind.VERIFIER_FAILED, "ValueError: no number\n  File x, line 3")
    return Verdict(rewards={"score": float(call.response == call.task["answer"])})


def _audit(folder) -> list[dict]:
    return [json.loads(line) for line in (folder / "src" / "alice_maze" / "audit.jsonl").read_text().splitlines()]


def _row(index: int) -> dict:
    return {"id": f"x-{index}", "prompt": f"p{index % 60}", "answer": str(index % 60 * 9), "info": {}, "split": "train"}


def test_what_the_source_cannot_judge_is_counted_said_and_left_out(hub, tmp_path) -> None:
    hub._runner = FakeRunner(_judge)
    found = import_draft(hub, draft_of(), "alice/maze", tmp_path / "maze")
    assert (found.right, found.wrong) == ((1, 1), (2, 2))
    assert found.unjudged == {"ValueError: no number": 1}
    assert {case["tags"][0] for case in _audit(tmp_path / "maze")} == {"own-answer", "empty", "silent"}
    assert "ValueError: no number" in (tmp_path / "maze" / "README.md").read_text()


def test_generated_tasks_are_drawn_once_and_test_prompts_that_train_has_too_are_counted(hub, tmp_path) -> None:
    hub._runner = FakeRunner(_judge, [_row(index) for index in range(200)])
    found = import_draft(hub, draft_of(generates=True, splits={}), "alice/maze", tmp_path / "maze")
    assert (found.tests, found.repeated) == (60, 60), "a prompt is in test once"
    manifest = (tmp_path / "maze" / "src" / "alice_maze" / "verihub.toml").read_text()
    assert 'test = "test.jsonl"' in manifest
    assert 'train = "alice_maze:generate"' in manifest
    tests = (tmp_path / "maze" / "src" / "alice_maze" / "test.jsonl").read_text().splitlines()
    assert len(tests) == 60
    assert "split" not in json.loads(tests[0]), "they would belong to another split than their file's"


def test_cases_of_the_source_itself_come_before_made_ones(hub, tmp_path) -> None:
    hub._runner = FakeRunner(_judge)
    own = [{"id": "own", "task_id": "t1", "response": "no", "label": "correct"}]
    found = import_draft(hub, draft_of(cases=own), "alice/maze", tmp_path / "maze")
    assert (found.right, found.wrong) == ((0, 1), (0, 0))
    assert [case["id"] for case in _audit(tmp_path / "maze")] == ["own"]


def _raising(_call) -> Verdict:
    return Verdict.unjudged(["score"], ErrorKind.VERIFIER_FAILED, "ImportError: libfoo.so")


@pytest.mark.parametrize(
    ("runner", "draft", "why"),
    [
        (FakeRunner(_raising), draft_of(), "ImportError: libfoo.so"),
        (FakeRunner(_judge), draft_of(generates=True, splits={}), "makes no task"),
        (FakeRunner(_judge), draft_of(cases=[{"id": "a", "task_id": "no"}]), "case 'a' is about no task .*: 'no'"),
        (
            FakeRunner(_judge, [{"id": "x", "prompt": "p"}]),
            draft_of(generates=True, splits={}, then=lambda _: draft_of()),
            "its first task has no info",
        ),
    ],
    ids=["unjudged", "no-generated-task", "case-of-no-task", "no-info"],
)
def test_a_source_that_does_not_work_is_refused_and_nothing_is_written(hub, tmp_path, runner, draft, why: str) -> None:
    hub._runner = runner
    with pytest.raises(ImportRefusedError, match=why):
        import_draft(hub, draft, "alice/maze", tmp_path / "maze")
    assert not (tmp_path / "maze").exists()


def test_a_scorer_that_takes_all_day_is_ended_by_a_limit(hub, tmp_path, monkeypatch) -> None:
    """Each call ends by its own limit; dozens of them together kept an import silent for hours."""
    clock = iter(range(0, 100_000, 120))
    alter_library(monkeypatch, environments, "time", monotonic=lambda: float(next(clock)))
    asked = []
    hub._runner = FakeRunner(lambda call: asked.append(call.id) or _judge(call))
    rows = [{"id": f"t{index}", "prompt": f"p{index}", "answer": f"a{index}", "info": {}} for index in range(30)]
    with pytest.raises(ImportRefusedError, match=r"judging 48 answers took longer than 600 s and was ended"):
        import_draft(hub, draft_of(splits={"test": rows}), "alice/maze", tmp_path / "maze")
    assert len(asked) == 6, "what was not begun is not judged"
    assert not (tmp_path / "maze").exists()


def test_a_generator_that_raises_is_the_reason(hub, tmp_path) -> None:
    class Broken(FakeRunner):
        def tasks(self, *_, **__):
            raise CheckFailedError("KeyError: 'x'")

    hub._runner = Broken(_judge)
    with pytest.raises(ImportRefusedError, match="generator fails: KeyError"):
        import_draft(hub, draft_of(generates=True, splits={}), "alice/maze", tmp_path / "maze")


def test_deals_tell_games_with_one_prompt_apart_and_one_deal_for_all_is_refused(hub, tmp_path) -> None:
    def rows(deals: int) -> list[dict]:
        return [{**_row(index), "prompt": "Guess.", "info": {"deal": str(index % deals)}} for index in range(200)]

    hub._runner = FakeRunner(_judge, rows(40))
    assert import_draft(hub, draft_of(generates=True, splits={}), "alice/maze", tmp_path / "maze").tests == 40
    hub._runner = FakeRunner(_judge, rows(1))
    with pytest.raises(ImportRefusedError, match="all its tasks are the same"):
        import_draft(hub, draft_of(generates=True, splits={}), "alice/maze", tmp_path / "other")


def test_a_test_split_of_one_task_is_no_environment_whose_tasks_are_all_the_same(hub, tmp_path) -> None:
    tasks = [_row(0)] * 100, [_row(index) for index in range(1, 9)]
    runner = FakeRunner(_judge, tasks[0])
    runner.tasks = lambda _, split, **__: tasks[0] if split == "test" else tasks[1]
    hub._runner = runner
    with pytest.raises(ImportRefusedError, match="test split has one task only"):
        import_draft(hub, draft_of(generates=True, splits={}), "alice/maze", tmp_path / "maze")


def test_a_generator_that_gives_another_task_when_it_is_asked_again_is_refused(hub, tmp_path) -> None:
    """``verihub check`` would refuse the project that comes of it."""
    drawn = itertools.count()
    runner = FakeRunner(_judge)
    runner.tasks = lambda _, split, *, count, **__: [_row(next(drawn)) for _ in range(count)]
    hub._runner = runner
    with pytest.raises(ImportRefusedError, match="gave another task when it was asked for again"):
        import_draft(hub, draft_of(generates=True, splits={}), "alice/maze", tmp_path / "maze")
    assert not (tmp_path / "maze").exists()


def test_a_task_whose_own_answer_is_not_accepted_is_left_out_where_that_proves_it(hub, tmp_path) -> None:
    def judge(call) -> Verdict:
        works = call.task["id"] == "works"
        return Verdict(
            rewards={"score": float(works and call.response == "yes")}, info={"tests": "\n=== 1 failed ===\n"}
        )

    hub._runner = FakeRunner(judge)
    rows = [{"id": name, "prompt": name, "answer": "yes", "info": {}} for name in ("broken", "works")]
    cases = [
        {"id": f"{name}-{said}", "task_id": name, "response": said, "label": label}
        for name in ("broken", "works")
        for said, label in (("yes", "correct"), ("no", "incorrect"))
    ]
    found = import_draft(
        hub,
        draft_of(splits={"train": [rows[1]], "test": [rows[0]]}, cases=cases, proved=True, left_out={"big": "a GPU"}),
        "alice/maze",
        tmp_path / "maze",
    )
    why = "its own solution does not pass its tests in a box: 1 failed"
    assert found.left_out == {"big": "a GPU", "broken": why}
    assert (found.right, found.wrong, found.tests) == ((1, 1), (1, 1), 1)
    assert [case["id"] for case in _audit(tmp_path / "maze")] == ["works-yes", "works-no"]
    readme = (tmp_path / "maze" / "README.md").read_text()
    assert f"- `broken`: {why}" in readme
    assert "2 parts of the source left out" in found.line


def test_a_source_of_which_no_task_works_is_refused_with_the_reason(hub, tmp_path) -> None:
    hub._runner = FakeRunner(lambda _: Verdict(rewards={"score": 0.0}, info={"tests": "gcc: not found"}))
    rows = [{"id": "a", "prompt": "a", "answer": "yes", "info": {}}]
    cases = [{"id": "a-yes", "task_id": "a", "response": "yes", "label": "correct"}]
    with pytest.raises(ImportRefusedError, match=r"none of its tasks works in a box; a: .*gcc: not found"):
        import_draft(hub, draft_of(splits={"test": rows}, cases=cases, proved=True), "alice/maze", tmp_path / "maze")


def test_a_ctrl_c_while_answers_are_judged_leaves_nothing(hub, tmp_path) -> None:
    def stopped(_call) -> Verdict:
        raise KeyboardInterrupt

    hub._runner = FakeRunner(stopped)
    (tmp_path / "here").mkdir()
    with pytest.raises(KeyboardInterrupt):
        import_draft(hub, draft_of(), "alice/maze", tmp_path / "here" / "maze")
    assert list((tmp_path / "here").iterdir()) == []


def test_a_ctrl_c_while_files_are_written_leaves_nothing(hub, tmp_path, monkeypatch) -> None:
    hub._runner = FakeRunner(_judge)
    (tmp_path / "here").mkdir()
    write, written = type(tmp_path).write_bytes, []

    def third_time(path, data):
        if "here" in path.parts:
            written.append(path)
            if len(written) == 3:
                raise KeyboardInterrupt
        return write(path, data)

    monkeypatch.setattr(type(tmp_path), "write_bytes", third_time)
    with pytest.raises(KeyboardInterrupt):
        import_draft(hub, draft_of(), "alice/maze", tmp_path / "here" / "maze")
    assert len(written) == 3
    assert list((tmp_path / "here").iterdir()) == []
