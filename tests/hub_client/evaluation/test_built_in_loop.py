"""The built-in loop, and what an evaluation says of attempts that count for nothing; no box is needed for either."""

import ast
from pathlib import Path

import pytest

from hub_client.environments import Environment
from hub_client.evaluation import built_in_loop
from hub_client.evaluation.attempt import HarnessFailedError
from hub_client.evaluation.attempt_log import AttemptLog
from hub_client.evaluation.built_in_loop import MAX_TURNS, BuiltInLoop
from hub_client.evaluation.evaluate import Cell, judge_cell, play_cell
from hub_client.evaluation.harness import MAX_ACTIONS, Harness
from hub_client.releases.resolve import LoadedPackage
from schemas.verdict import ErrorKind, Verdict
from schemas.wheels.wheel import read_wheel
from tests.fakes.runner import FakeRunner, FakeSession
from tests.making.wheel import MANIFEST, make_wheel

SESSION = MANIFEST + 'session = "alice_small_sums:Episode"\n'
TASK = {"id": "t1", "prompt": "1+1?", "answer": 2}


class Parrot:
    """A model that says the same every time and remembers what it was asked."""

    name = "parrot"

    def __init__(self, says="2") -> None:
        self.asked, self.offered, self.says = [], [], says

    def complete(self, messages, tools, *, seed):
        self.asked.append((list(messages), seed))
        self.offered.append(list(tools))
        return {"role": "assistant", "content": self.says, "finish_reason": "stop"}

    def close(self) -> None:
        pass


def environment(judge=None, manifest=MANIFEST, session=None):
    contents = read_wheel(make_wheel(manifest=manifest))
    package = LoadedPackage("alice/small-sums", "1.0.0", contents.digest, Path("x.whl"), contents)
    runner = FakeRunner(judge or (lambda _request: Verdict(rewards={"correct": 1.0})))
    if session is not None:
        runner.session = session
    return Environment(package, package, lambda: runner), runner


def with_session(manifest):
    head, _, rest = manifest.partition("\n[rewards")
    return f'{head}\nsession = "alice_small_sums:Episode"\n\n[rewards{rest}'


def test_one_question_one_answer() -> None:
    env, runner = environment()
    model = Parrot()
    played = Harness(BuiltInLoop(), runner).play(env, TASK, model, seed=7)
    assert played.messages == [{"role": "user", "content": "1+1?"}, {"role": "assistant", "content": "2"}]
    assert (played.completions, len(model.asked), model.asked[0][1]) == (1, 1, 8)


def test_a_session_is_played_to_its_end_and_its_state_kept() -> None:
    env, runner = environment(manifest=with_session(MANIFEST))
    model = Parrot()
    played = Harness(BuiltInLoop(), runner).play(env, TASK, model, seed=0)
    assert played.completions == 2, "the session is done after the second message"
    assert len(played.state["said"]) == 2
    assert [message["role"] for message in played.messages] == ["user", "assistant", "assistant"]


def test_the_tools_that_a_session_lists_are_offered_and_no_others() -> None:
    look = {"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}

    class WithTools(FakeSession):
        def reset(self):
            return {**super().reset(), "tools": [look]}

        def __enter__(self):
            return self

        def __exit__(self, *_):
            return None

    env, runner = environment(
        manifest=with_session(MANIFEST), session=lambda package, task, *, seed: WithTools(task, seed)
    )
    model = Parrot()
    played = Harness(BuiltInLoop(), runner).play(env, TASK, model, seed=0)
    assert model.offered == [[look], [look]]
    assert played.state["said"][0]["content"] == "2"


def test_arguments_of_a_tool_that_are_nested_too_deeply_are_the_models_mistake(monkeypatch) -> None:
    heard = []

    def calling(messages, session_tools, interactive):
        heard.append((yield {"call": "look", "arguments": "{"}))
        heard.append((yield {"call": "look", "arguments": "[" * 5000 + "]" * 5000}))
        return {"messages": messages}

    monkeypatch.setattr(built_in_loop, "run", calling)
    env, runner = environment()
    Harness(BuiltInLoop(), runner).play(env, TASK, Parrot(), seed=0)
    assert heard == ["error: the arguments are not JSON"] * 2


def test_a_session_without_end_is_left_after_a_bounded_number_of_turns() -> None:
    class Endless(FakeSession):
        def step(self, message):
            return {"messages": [], "done": False}

        def __enter__(self):
            return self

        def __exit__(self, *_):
            return None

    env, runner = environment(
        manifest=with_session(MANIFEST), session=lambda package, task, *, seed: Endless(task, seed)
    )
    played = Harness(BuiltInLoop(), runner).play(env, TASK, Parrot(), seed=0)
    assert played.completions == MAX_TURNS < MAX_ACTIONS


def test_the_built_in_loop_brings_no_package_and_has_a_name_and_a_key_of_its_own() -> None:
    _, runner = environment()
    harness = Harness(BuiltInLoop(), runner)
    assert (harness.name, harness.packages) == ("built-in", [])
    assert harness.key.startswith("built-in:")


@pytest.mark.parametrize(
    ("verdict", "reasons"),
    [
        (Verdict.unjudged(["correct"], ErrorKind.TIMEOUT, 'TooSlow: 5 s\n  File "a.py", line 3, in verify'),
         {"verifier: timeout: TooSlow: 5 s": 2}),
        (Verdict(rewards={"correct": None}), {"verifier: it said null": 2}),
        (Verdict(rewards={"correct": 1.0}), {}),
    ],
)  # fmt: skip
def test_why_attempts_were_not_judged_is_counted_by_reason(verdict, reasons, tmp_path) -> None:
    env, runner = environment(lambda _request: verdict)
    cell = Cell(env, Harness(BuiltInLoop(), runner), {"t1": TASK}, samples=2, seed=0)
    attempts = play_cell(cell, Parrot(), AttemptLog(tmp_path, {}), workers=1, say=lambda done, total: None)
    result = judge_cell(cell, attempts)
    assert result.reasons == reasons
    assert result.unjudged == sum(reasons.values())


def test_why_attempts_broke_in_the_harness_is_counted_by_reason(tmp_path) -> None:
    class Breaking(Harness):
        def play(self, environment, task, policy, *, seed):
            raise HarnessFailedError(f'KeyError: {"a" if seed else "b"}\n  File "a.py", line 3, in run')

    env, runner = environment()
    cell = Cell(env, Breaking(BuiltInLoop(), runner), {"t1": TASK}, samples=3, seed=0)
    attempts = play_cell(cell, Parrot(), AttemptLog(tmp_path, {}), workers=1, say=lambda done, total: None)
    result = judge_cell(cell, attempts)
    assert result.reasons == {"harness: KeyError: a": 2, "harness: KeyError: b": 1}
    assert (result.failed, result.counts) == (3, {})


def test_the_built_in_loop_is_the_collections_plainest_harness() -> None:
    found = [
        next(
            node
            for node in ast.parse(file.read_text()).body
            if isinstance(node, ast.FunctionDef) and node.name == "run"
        )
        for file in (
            Path(built_in_loop.__file__),
            Path(__file__).parents[3] / "collection/single-turn/src/lecture_single_turn/__init__.py",
        )
    ]
    ours, theirs = ([ast.dump(line) for line in function.body] for function in found)
    assert ours == theirs
