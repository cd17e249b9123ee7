"""An outside process as a judge: scores, raises, deaths and late answers are told apart, and the next call is judged."""

import asyncio
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.interface import Call
from schemas.verdict import ErrorKind, Verdict
from scripts.field_study import judge as judging
from scripts.field_study.subjects import Package, Verifier, load_subjects

ADAPTER = """
import os, time
def verify(task, response, accept="yes"):
    print("noise that must not spoil an answer")
    if response == "raise": raise ValueError("cannot read this")
    if response == "exit": raise SystemExit(3)
    if response == "die": os._exit(1)
    if response == "hang": time.sleep(60)
    if response == "null": return None
    if response in ("nan", "inf"): return float(response)
    return response == task["answer"] and accept == "yes"
"""


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Verifier:
    (tmp_path / "adapters").mkdir()
    (tmp_path / "adapters" / "toy.py").write_text(ADAPTER)
    (tmp_path / "worker.py").write_text(judging.WORKER.read_text())
    monkeypatch.setattr(judging, "WORKER", tmp_path / "worker.py")
    return Verifier("toy/verify", Package("toy", "1.0", "MIT"), "verify()", "toy:verify", ("text",))


def _ask(verifier: Verifier, *responses: str, seconds: float = 30.0) -> list[Verdict]:
    async def run() -> list[Verdict]:
        judge = judging.OutsideJudge(verifier, Path(sys.executable), seconds)
        try:
            calls = [Call(str(number), {"answer": "4"}, text) for number, text in enumerate(responses)]
            return [one.verdict async for one in judge.judge(judging.source_of(verifier), calls)]
        finally:
            await judge.close()

    return asyncio.run(run())


def test_scores_come_in_order_and_prints_do_not_spoil_them(toy: Verifier) -> None:
    assert [one.rewards["accepted"] for one in _ask(toy, "4", "5", "null")] == [1.0, 0.0, None]


@pytest.mark.parametrize("response", ["nan", "inf"])
def test_a_score_that_is_no_number_is_not_judged_and_ends_nothing(toy: Verifier, response: str) -> None:
    """One of them ended a whole run of the study."""
    failed, after = _ask(toy, response, "4")
    assert failed.rewards == {"accepted": None}
    assert failed.error is not None
    assert failed.error.kind is ErrorKind.OUTPUT
    assert after.rewards == {"accepted": 1.0}


@pytest.mark.parametrize(
    ("response", "words"),
    [("raise", "ValueError: cannot read this"), ("exit", "SystemExit"), ("die", "its process ended")],
)
def test_a_raise_and_a_death_are_no_rejection_and_the_next_call_is_judged(
    toy: Verifier, response: str, words: str
) -> None:
    failed, after = _ask(toy, response, "4")
    assert failed.error is not None
    assert failed.error.kind is ErrorKind.VERIFIER_FAILED
    assert words in failed.error.message
    assert after.rewards["accepted"] == 1.0


def test_a_response_in_a_form_that_is_not_read_is_not_judged_but_a_raise_on_it_is_kept(toy: Verifier) -> None:
    """Without being sent, what our rule does not ask looked like a response that gets no verdict, for 40 verifiers."""
    unread, raised, read = _ask(replace(toy, wants="^[0-9]"), "nine", "raise", "4")
    assert (unread.rewards["accepted"], unread.error) == (None, None)
    assert raised.error is not None
    assert raised.error.kind is ErrorKind.VERIFIER_FAILED
    assert read.rewards["accepted"] == 1.0


def test_a_call_that_does_not_answer_is_late_and_the_next_is_judged(toy: Verifier) -> None:
    before, late, after = _ask(toy, "4", "hang", "4", seconds=3.0)
    assert late.error is not None
    assert late.error.kind is ErrorKind.TIMEOUT
    assert (before.rewards["accepted"], after.rewards["accepted"]) == (1.0, 1.0)


def test_an_adapter_that_cannot_be_loaded_is_said_at_once(toy: Verifier) -> None:
    with pytest.raises(judging.StartError, match="toy/verify"):
        _ask(Verifier("toy/verify", toy.package, "verify()", "gone:verify", ("text",)), "4")


def test_a_process_sees_no_key_of_any_service(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    assert "OPENAI_API_KEY" not in judging.surroundings()


def test_a_real_verifier_judges_as_its_defect_says() -> None:
    pytest.importorskip("math_verify", reason="math-verify is an optional dependency")
    subject = next(one for one in load_subjects() if one.name == "math-verify/verify")
    right, wrong = _ask(subject, "The answer is $\\boxed{4}$.", "The answer is $\\boxed{5}$.", seconds=120.0)
    assert (right.rewards["accepted"], wrong.rewards["accepted"]) == (1.0, 0.0)
