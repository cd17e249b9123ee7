"""Asking can stop and go on, and a verdict is what the package makes of the answers."""

from pathlib import Path

import pytest

from sandbox.models.port import ModelAnswer, ModelSilentError
from scripts.judge_study.kept_answers import KeptAnswers, ask, ask_all, verdict_of
from scripts.judge_study.questions import Question, questions
from tests.fakes.judge_model import ScriptedModel, silent


def asked(judge: ScriptedModel, file: Path, count: int = 3) -> KeptAnswers:
    kept = KeptAnswers(judge, file)
    ask_all(kept, questions(("short",))[:count])
    return kept


def test_what_was_answered_is_not_asked_again(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    assert asked(ScriptedModel("yes"), file).asked == 3
    again = ScriptedModel(silent)
    assert asked(again, file).asked == 0
    assert asked(ScriptedModel("yes"), file, 5).asked == 2


def test_a_line_that_a_stop_cut_off_is_asked_again(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    asked(ScriptedModel("yes"), file)
    file.write_text(file.read_text()[:-20])
    assert asked(ScriptedModel("yes"), file).asked == 1


def test_a_cut_answer_is_still_cut_when_it_was_kept(tmp_path: Path) -> None:
    messages = [{"role": "user", "content": "?"}]
    file = tmp_path / "answers.jsonl"
    KeptAnswers(ScriptedModel(lambda _: ModelAnswer("wrong", is_cut=True)), file).complete(
        messages, max_tokens=8, seed=0
    )
    assert KeptAnswers(ScriptedModel(silent), file).complete(messages, max_tokens=8, seed=0).is_cut


def test_after_the_time_is_over_only_what_is_kept_counts(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    asked(ScriptedModel("yes"), file)
    judge = ScriptedModel("yes")
    verdicts = ask_all(KeptAnswers(judge, file, seconds=-1), questions(("short",))[:5])
    assert (len(verdicts), judge.asked) == (3, [])


def test_a_model_that_is_away_ends_the_study_instead_of_counting_as_no_verdict() -> None:
    with pytest.raises(ModelSilentError):
        ask_all(ScriptedModel(silent), questions(("short",))[:1])


def test_a_pair_is_asked_in_both_orders_and_its_words_are_kept() -> None:
    judge = ScriptedModel("B")
    verdict = ask(judge, questions(("pairs",))[0])
    assert verdict is not None
    assert (verdict.words, verdict.accepted, len(judge.asked)) == (("B", "B"), None, 2)


@pytest.mark.parametrize(("own", "is_judged"), [("It is zzz.", True), ("", False)])
def test_the_judges_own_answer_is_judged_where_it_is_wrong(own: str, is_judged: bool) -> None:
    judge = ScriptedModel(lambda prompt: "A" if "Answer A" in prompt else own)
    verdict = ask(judge, questions(("self",))[0])
    assert (verdict is not None) is is_judged
    assert verdict is None or verdict.response == own


def test_the_judges_own_answer_is_left_out_where_it_is_right() -> None:
    question = questions(("self",))[0]
    assert ask(ScriptedModel(str(question.task["answer"])), question) is None


def test_a_share_of_votes_is_accepted_from_the_packages_threshold_on() -> None:
    question = questions(("generative",))[0]
    said = iter(["Verdict: right", "Verdict: wrong", "no line"])
    assert ask(ScriptedModel(lambda _: next(said)), question).accepted is None  # type: ignore[union-attr]
    said = iter(["Verdict: right", "Verdict: wrong", "Verdict: right"])
    assert ask(ScriptedModel(lambda _: next(said)), question).accepted is True  # type: ignore[union-attr]


def test_a_rubric_gives_each_criterion_its_reward() -> None:
    one: Question = questions(("rubric",))[0]
    rewards, _ = verdict_of(ScriptedModel("no"), "rubric", one.task, one.response)
    assert rewards == {"on_topic": 0.0, "agrees": 0.0, "polite": 0.0}
