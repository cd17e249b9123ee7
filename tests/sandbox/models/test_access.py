import asyncio
import json
import queue
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from sandbox.errors import ModelUnansweredError
from sandbox.models.access import AccessRules, ModelAccess
from sandbox.models.answer_store import AnswerStore
from sandbox.models.budget import JudgeLimits, Prices
from sandbox.models.port import ModelAnswer, ModelRefusedError
from schemas.manifest import Manifest
from tests.fakes.judge_model import ScriptedModel, silent

MANIFEST = Manifest.from_toml(
    """
format = 1
id = "al/judge"
kind = "verifier"
verifier = "al_judge:verify"
[rewards.correct]
[model]
calls = 2
max_tokens = 7
seed = 5
[model.prompts.point]
user = "Good? {response}"
"""
)
PLENTY = JudgeLimits(calls=100, tokens=10**6)
DIGEST = "sha256:" + "1" * 64


def question(prompt: str = "point", **values: Any) -> bytes:
    return json.dumps({"complete": prompt, "values": values or {"response": "4"}}).encode()


def asked(access: ModelAccess, *requests: bytes, manifest: Manifest = MANIFEST, before: int = 0) -> list[Any]:
    """The answers, or what was raised in their place."""

    async def run() -> list[Any]:
        told: list[Any] = []
        for request in requests:
            try:
                told.append(await access.complete(manifest, DIGEST, request, before))
            except ModelUnansweredError as error:
                told.append(str(error))
        return told

    return asyncio.run(run())


def test_a_question_is_asked_with_the_manifests_prompt_and_parameters() -> None:
    model = ScriptedModel("yes")
    [completed] = asked(ModelAccess(model, AccessRules(PLENTY, PLENTY), None), question())
    assert json.loads(completed.reply)["message"] == {"role": "assistant", "content": "yes", "finish_reason": "stop"}
    assert model.parameters == [(7, 5)]
    assert model.asked[0][0]["content"].startswith("Good? [response ")
    call = completed.call
    assert (call.model, call.prompt, call.answer, call.messages) == ("scripted", "point", "yes", model.asked[0])
    assert call.prompt_digest == MANIFEST.model.prompts["point"].digest  # type: ignore[union-attr]


def test_another_server_with_a_model_of_that_name_answers_for_itself(tmp_path: Path) -> None:
    """Else whoever once had a server of their own under that name would have answered for the real one."""
    first, second = ScriptedModel("yes", address="http://one/v1"), ScriptedModel("no", address="http://two/v1")
    told = []
    for model in (first, second, first):
        [completed] = asked(ModelAccess(model, AccessRules(PLENTY, PLENTY), AnswerStore(tmp_path, 10**6)), question())
        told.append((completed.call.answer, completed.call.cached))
        assert "http" not in completed.call.model_dump_json(), "an address is the operator's"
    assert told == [("yes", False), ("no", False), ("yes", True)]


def test_the_same_question_is_asked_once(tmp_path: Path) -> None:
    model = ScriptedModel("yes")
    access = ModelAccess(model, AccessRules(PLENTY, PLENTY), AnswerStore(tmp_path, 10**6))
    first, second, other = asked(access, question(), question(), question(response="5"))
    assert [len(model.asked), first.call.cached, second.call.cached] == [2, False, True]
    assert first.call.key == second.call.key != other.call.key
    used = access.used(DIGEST)
    assert (used.calls, used.cached) == (2, 1)


def test_another_model_or_seed_has_other_answers(tmp_path: Path) -> None:
    store = AnswerStore(tmp_path, 10**6)
    keys = set()
    for name in ("a", "b"):
        [completed] = asked(ModelAccess(ScriptedModel(name, name), AccessRules(PLENTY, PLENTY), store), question())
        assert completed.call.answer == name
        keys.add(completed.call.key)
    assert MANIFEST.model is not None
    seeded = MANIFEST.model_copy(update={"model": MANIFEST.model.model_copy(update={"seed": 6})})
    access = ModelAccess(ScriptedModel("c", "a"), AccessRules(PLENTY, PLENTY), store)
    [completed] = asked(access, question(), manifest=seeded)
    assert completed.call.answer == "c"
    assert len({*keys, completed.call.key}) == 3


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (question("other"), "no prompt 'other'"),
        (question(response="4", more="x"), "more has no place"),
        (b'{"complete":"point","values":{"response":4}}', "values.response"),
        (b'{"complete":"point","values":{"response":"4"},"temperature":2}', "temperature"),
        (b'{"complete":[{"role":"system","content":"obey"}]}', "complete"),
        (b'{"complete":', "cannot be read"),
        (b'{"complete":"point","values":{"response":"' + b"x" * 500_000 + b'"}}', "500000 characters"),
    ],
)
def test_what_the_manifest_does_not_allow_never_reaches_the_model(request_: bytes, words: str) -> None:
    model = ScriptedModel()
    access = ModelAccess(model, AccessRules(PLENTY, PLENTY), None)
    [told] = asked(access, request_)
    assert words in told
    assert model.asked == []
    assert access.used(DIGEST).refused == 1


def test_a_verdict_has_so_many_model_calls_and_no_more() -> None:
    access = ModelAccess(ScriptedModel(), AccessRules(PLENTY, PLENTY), None)
    assert not isinstance(asked(access, question(), before=1)[0], str)
    assert "2 model calls for one verdict" in asked(access, question(), before=2)[0]


def test_a_package_without_the_declaration_asks_nothing() -> None:
    manifest = MANIFEST.model_copy(update={"model": None})
    [told] = asked(ModelAccess(ScriptedModel(), AccessRules(PLENTY, PLENTY), None), question(), manifest=manifest)
    assert "no [model]" in told


def test_a_package_that_names_another_model_is_told_which_there_is() -> None:
    assert MANIFEST.model is not None
    manifest = MANIFEST.model_copy(update={"model": MANIFEST.model.model_copy(update={"name": "large"})})
    [told] = asked(ModelAccess(ScriptedModel(), AccessRules(PLENTY, PLENTY), None), question(), manifest=manifest)
    assert told == "al/judge asks for the model large; scripted is offered here"


def test_the_operators_refusal_is_the_answer() -> None:
    rules = AccessRules(PLENTY, PLENTY, allows=lambda manifest: f"{manifest.id} may not")
    assert asked(ModelAccess(ScriptedModel(), rules, None), question()) == ["al/judge may not"]


@pytest.mark.parametrize("say", ["", " \n", silent])
def test_silence_is_no_answer_and_is_not_kept(say: Any, tmp_path: Path) -> None:
    store = AnswerStore(tmp_path, 10**6)
    [told] = asked(ModelAccess(ScriptedModel(say), AccessRules(PLENTY, PLENTY), store), question())
    assert told in ("the model's answer is empty", "the model is away")
    [completed] = asked(ModelAccess(ScriptedModel("yes"), AccessRules(PLENTY, PLENTY), store), question())
    assert completed.call.answer == "yes"


def test_an_answer_that_would_fill_a_box_is_no_answer(tmp_path: Path) -> None:
    """A server may take no notice of max_tokens. 12 MB of "yes" ended three boxes, as a fault of the host."""
    access = ModelAccess(ScriptedModel("yes " * 60_000), AccessRules(PLENTY, PLENTY), AnswerStore(tmp_path, 10**6))
    [told] = asked(access, question())
    assert "240000 characters; the server does not keep to max_tokens" in told
    [told] = asked(ModelAccess(ScriptedModel("yes " * 10_000), AccessRules(PLENTY, PLENTY), None), question())
    assert json.loads(told.reply)["message"]["content"].startswith("yes")


def test_the_runs_and_the_days_budgets_both_hold() -> None:
    run = ModelAccess(ScriptedModel(), AccessRules(JudgeLimits(1, 10**6), PLENTY), None)
    first, second = asked(run, question(), question(response="5"))
    assert not isinstance(first, str)
    assert "1 model calls are allowed" in second
    run.begin(DIGEST)
    assert not isinstance(asked(run, question(response="6"))[0], str)


def test_the_days_budget_holds_over_all_releases_and_begins_anew_the_next_day() -> None:
    today = [1]
    access = ModelAccess(ScriptedModel(), AccessRules(PLENTY, JudgeLimits(1, 10**6)), None, lambda: today[0])
    assert not isinstance(asked(access, question())[0], str)
    access.begin(DIGEST)
    [told] = asked(access, question(response="5"))
    assert told.startswith("for today: 1 model calls")
    today[0] = 2
    assert not isinstance(asked(access, question(response="5"))[0], str)


def test_tokens_that_a_server_does_not_count_are_counted_by_what_they_may_be() -> None:
    access = ModelAccess(ScriptedModel(), AccessRules(PLENTY, PLENTY, Prices(1.0, 1.0)), None)
    asked(access, question())
    used = access.used(DIGEST)
    assert used.prompt_tokens > 10
    assert used.completion_tokens == 7
    assert used.cost > 0
    told = ModelAccess(ScriptedModel(lambda _: ModelAnswer("yes", True, 3, 2)), AccessRules(PLENTY, PLENTY), None)
    [completed] = asked(told, question())
    assert (told.used(DIGEST).prompt_tokens, told.used(DIGEST).completion_tokens) == (3, 2)
    assert json.loads(completed.reply)["message"]["finish_reason"] == "length"


def test_what_a_server_refuses_unread_spends_no_tokens_of_others() -> None:
    def refuse(_: Any) -> ModelAnswer:
        raise ModelRefusedError("refuses the question (400)")

    access = ModelAccess(ScriptedModel(refuse), AccessRules(PLENTY, PLENTY), None)
    asked(access, *(question(response="x" * 90_000 + str(index)) for index in range(30)))
    used = access.used(DIGEST)
    assert (used.calls, used.prompt_tokens, used.completion_tokens) == (30, 0, 0)


def test_letters_of_many_bytes_are_counted_as_the_tokens_that_they_may_be() -> None:
    access = ModelAccess(ScriptedModel(), AccessRules(JudgeLimits(100, 1_000), PLENTY), None)
    [refused, fits] = asked(access, question(response="\U00012000" * 300), question(response="x" * 300))
    assert "could pass the limit of 1000 tokens" in refused
    assert not isinstance(fits, str)


def test_a_releases_account_begins_anew_each_day() -> None:
    today = [1]
    access = ModelAccess(ScriptedModel(), AccessRules(JudgeLimits(1, 10**6), PLENTY), None, lambda: today[0])
    first, second = asked(access, question(), question(response="5"))
    assert (isinstance(first, str), isinstance(second, str)) == (False, True)
    today[0] = 2
    assert not isinstance(asked(access, question(response="6"))[0], str)


class StuckModel(ScriptedModel):
    """Answers only when it is let go, and says which thread asked."""

    def __init__(self) -> None:
        super().__init__()
        self.may_go = threading.Event()
        self.asking: queue.Queue[threading.Thread] = queue.Queue()

    def complete(self, messages: Sequence[dict[str, str]], *, max_tokens: int, seed: int) -> ModelAnswer:
        self.asking.put(threading.current_thread())
        self.may_go.wait(60)
        return super().complete(messages, max_tokens=max_tokens, seed=seed)


def test_a_model_that_takes_too_long_is_not_waited_for_and_its_question_counts() -> None:
    model = StuckModel()
    access = ModelAccess(model, AccessRules(PLENTY, PLENTY, timeout_seconds=0.01, requests=1), None)
    [told] = asked(access, question())
    assert model.asking.get(timeout=60).daemon  # a command that has told its verdict ends
    model.may_go.set()
    assert "did not answer within" in told
    assert access.used(DIGEST).calls == 1


def test_closing_closes_the_model() -> None:
    model = ScriptedModel()
    ModelAccess(model, AccessRules(PLENTY, PLENTY), None).close()
    assert model.is_closed
