"""The packages that ask a model, with scripted models: one that knows, one that goes by position, one that stammers."""

import re

import pytest

from sandbox.backends import make_backend
from sandbox.blocking import BlockingSandbox
from sandbox.interface import Call
from sandbox.models.access import AccessRules, ModelAccess
from sandbox.models.budget import JudgeLimits
from sandbox.sandbox import Sandbox
from schemas.audit import Label
from tests.collection.conftest import SETTINGS
from tests.fakes.judge_model import ScriptedModel

PLENTY = JudgeLimits(10_000, 10**8)


def part(prompt, name):
    """The text of a place, as the model sees it."""
    found = re.search(rf"\[{name} [0-9a-f]+\]\n(.*?)\n\[end of {name} ", prompt, re.DOTALL)
    return found[1] if found else ""


def verdicts_of(packed, name, say, cases):
    """Case id -> verdict, with a model that answers by ``say``."""
    access = ModelAccess(ScriptedModel(say), AccessRules(PLENTY, PLENTY), None)
    calls = [Call(case.id, case.task, case.response) for case in cases]
    with BlockingSandbox(Sandbox(make_backend("local", SETTINGS), SETTINGS, access=access)) as sandbox:
        return dict(sandbox.score(packed.source(name), calls))


def value_in(text):
    return eval(re.search(r"(\d+ [+*] \d+)", text)[1])


def knows(prompt):
    right = str(value_in(part(prompt, "question")))
    if "Answer A" in prompt:
        return "A" if right in re.findall(r"\d+", part(prompt, "first")) else "B"
    return "Yes." if right in re.findall(r"\d+", part(prompt, "response")) else "No."


def test_a_judge_that_knows_gives_every_label(packed, projects):
    cases = projects["judge"].cases
    found = verdicts_of(packed, "judge", knows, cases)
    assert [one.id for one in cases if found[one.id].rewards["good"] != float(one.label is Label.CORRECT)] == []
    asked = {len(verdict.asked) for verdict in found.values()}
    assert asked == {1, 2}, "a pair is asked in both orders"


@pytest.mark.parametrize("word", ["A", "B"])
def test_a_judge_that_goes_by_position_judges_no_pair(packed, projects, word):
    pairs = [case for case in projects["judge"].cases if case.tags == ["pairwise"]][:6]
    found = verdicts_of(packed, "judge", lambda _: word, pairs)
    assert {verdict.rewards["good"] for verdict in found.values()} == {None}
    assert {verdict.info["why"] for verdict in found.values()} == {"it chose by position"}


@pytest.mark.parametrize("said", ["The answer is", "yesterday", "?", "nope", "Yes and no."])
def test_a_judge_that_stammers_judges_nothing(packed, projects, said):
    found = verdicts_of(packed, "judge", lambda _: said, projects["judge"].cases[:3])
    assert {verdict.rewards["good"] for verdict in found.values()} == {None}


def test_a_judge_that_always_says_yes_accepts_every_wrong_answer(packed, projects):
    wrong = [one for one in projects["judge"].cases if one.label is Label.INCORRECT and one.tags == ["pointwise"]][:5]
    found = verdicts_of(packed, "judge", lambda _: "yes", wrong)
    assert {verdict.rewards["good"] for verdict in found.values()} == {1.0}


def checks(prompt):
    criterion, response = part(prompt, "criterion"), part(prompt, "response")
    if "insults" in criterion:
        return "No" if "idiot" in response else "Yes"
    if "reference" in criterion:
        return "yes" if part(prompt, "reference").lower() in response.lower() else "no"
    return "no" if "bicycle" in response else "yes"


def test_a_rubric_asks_one_question_a_criterion_and_each_is_a_reward(packed, projects):
    cases = projects["rubric"].cases
    found = verdicts_of(packed, "rubric", checks, cases)
    assert [case.id for case in cases if found[case.id].rewards != case.expect] == []
    verdict = found["rude-0"]
    assert [call.prompt for call in verdict.asked] == ["criterion"] * 3
    assert verdict.weighted_sum(projects["rubric"].manifest.rewards) == pytest.approx(4.0)


def test_a_criterion_that_cannot_be_read_leaves_the_others(packed, projects):
    stammers = lambda prompt: "well" if "insults" in part(prompt, "criterion") else "yes"  # noqa: E731
    [verdict] = verdicts_of(packed, "rubric", stammers, projects["rubric"].cases[:1]).values()
    assert verdict.rewards == {"on_topic": 1.0, "agrees": 1.0, "polite": None}
