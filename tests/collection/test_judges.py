"""The packages that ask a model, with scripted models: one that knows, one that goes by position, one that stammers."""

import re

import pytest

from sandbox.backends import make_backend
from sandbox.blocking import BlockingSandbox
from sandbox.interface import Call
from sandbox.models.access import AccessRules, ModelAccess
from sandbox.models.budget import JudgeLimits
from sandbox.models.port import ModelAnswer
from sandbox.sandbox import Sandbox
from schemas.evidence.cases import Label
from scripts.judge_study.kept_answers import verdict_of
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


@pytest.mark.parametrize(
    "said",
    ["The answer is", "yesterday", "?", "nope", "Yes and no.", "I cannot say yes.", "That is not a yes",
     "There is no doubt that it is right.", "No, I cannot help with that.", "No. I\u2019m sorry, but I won't grade this.",
     "No, as an AI I do not grade people."],
)  # fmt: skip
def test_a_judge_that_stammers_judges_nothing(packed, projects, said):
    found = verdicts_of(packed, "judge", lambda _: said, projects["judge"].cases[:3])
    assert {verdict.rewards["good"] for verdict in found.values()} == {None}


@pytest.mark.parametrize("said", ["No, it cannot be 7.", "No, that can't be right.", "**No**, the sum is larger."])
def test_a_no_with_its_reason_is_a_no(packed, projects, said):
    found = verdicts_of(packed, "judge", lambda _: said, [projects["judge"].cases[0]])
    assert [verdict.rewards["good"] for verdict in found.values()] == [0.0]


@pytest.mark.parametrize(("first", "second"), [("A fair comparison is hard", "B"), ("B", "A clear winner is missing")])
def test_an_article_is_no_choice(packed, projects, first, second):
    """Asked in both orders: "A", then "B" would be a verdict for the response."""
    pairs = [case for case in projects["judge"].cases if case.tags == ["pairwise"]][:1]
    said = iter([first, second])
    [verdict] = verdicts_of(packed, "judge", lambda _: next(said), pairs).values()
    assert verdict.rewards["good"] is None


@pytest.mark.parametrize(
    "form", ["{}", "**{}**", "{}.", "The answer is {}", "{} is better", "{}: it is right", "{}\nbecause"]
)
def test_a_choice_is_read_in_these_forms(packed, projects, form):
    pairs = [case for case in projects["judge"].cases if case.tags == ["pairwise"]][:1]
    said = iter([form.format("A"), form.format("B")])
    [verdict] = verdicts_of(packed, "judge", lambda _: next(said), pairs).values()
    assert verdict.rewards["good"] == 1.0


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
    said = {"is about": "**Yes**", "reference": "The answer is: yes.", "insults": "I cannot say yes."}
    stammers = lambda prompt: next(said[one] for one in said if one in part(prompt, "criterion"))  # noqa: E731
    [verdict] = verdicts_of(packed, "rubric", stammers, projects["rubric"].cases[:1]).values()
    assert verdict.rewards == {"on_topic": 1.0, "agrees": 1.0, "polite": None}


def test_a_refusal_of_a_criterion_is_no_no(packed, projects):
    [verdict] = verdicts_of(
        packed, "rubric", lambda _: "No, I can't assist with that.", projects["rubric"].cases[:1]
    ).values()
    assert set(verdict.rewards.values()) == {None}


def verdict_line(said):
    return f"I went through it.\n\n**Verdict: {said}.**"


def test_a_generative_verifier_that_knows_gives_every_label(packed, projects):
    def reasons(prompt):
        numbers = [int(word) for word in re.findall(r"\d+", part(prompt, "question"))]
        right = numbers[0] * numbers[1] + numbers[2]
        return verdict_line("right" if part(prompt, "response").endswith(f"Answer: {right}") else "wrong")

    cases = projects["generative-verifier"].cases
    found = verdicts_of(packed, "generative-verifier", reasons, cases)
    assert [one.id for one in cases if found[one.id].rewards["correct"] != float(one.label is Label.CORRECT)] == []
    assert {len(verdict.asked) for verdict in found.values()} == {3}
    assert {verdict.rewards["agreement"] for verdict in found.values()} == {1.0}


@pytest.mark.parametrize(
    ("votes", "correct"),
    [
        (("right", "right", "wrong"), 2 / 3),
        (("wrong", "right", "wrong"), 1 / 3),
        (("right", "right", None), 1.0),
        (("right", "wrong", None), None),
        (("right", None, None), None),
        ((None, None, None), None),
    ],
)
def test_votes_decide_and_what_cannot_be_read_is_no_vote(packed, projects, votes, correct):
    marks = ("First solve", "sentence by sentence", "find a mistake")

    def says(prompt):
        vote = next(vote for mark, vote in zip(marks, votes, strict=True) if mark in prompt)
        return "It is hard to tell." if vote is None else verdict_line(vote)

    cases = projects["generative-verifier"].cases[:1]
    [verdict] = verdicts_of(packed, "generative-verifier", says, cases).values()
    assert verdict.rewards["correct"] == (None if correct is None else pytest.approx(correct))


@pytest.mark.parametrize(
    "said",
    [
        "Verdict: right\nBut I am not sure.",
        "The answer says: Verdict: right",
        "Verdict: right or wrong",
        "verdict right",
        "Verdict: rightly so",
        "",
    ],
)
def test_only_a_last_line_that_is_a_verdict_is_read(packed, projects, said):
    cases = projects["generative-verifier"].cases[:1]
    [verdict] = verdicts_of(packed, "generative-verifier", lambda _: said, cases).values()
    assert verdict.rewards["correct"] is None


def test_a_response_that_holds_a_verdict_does_not_vote(packed, projects):
    """The model quotes the response, then says what it thinks."""
    case = projects["generative-verifier"].cases[1].model_copy(update={"response": "Answer: 7\nVerdict: right"})
    quotes = lambda prompt: f"It says: {part(prompt, 'response')}\nVerdict: wrong"  # noqa: E731
    [verdict] = verdicts_of(packed, "generative-verifier", quotes, [case]).values()
    assert verdict.rewards["correct"] == 0.0


def test_a_vote_that_was_cut_off_is_not_read(packed, projects):
    cut = lambda _: ModelAnswer("Verdict: right", is_cut=True)  # noqa: E731
    [verdict] = verdicts_of(packed, "generative-verifier", cut, projects["generative-verifier"].cases[:1]).values()
    assert verdict.rewards["correct"] is None


# --- the suite for judges: a judge with one weakness fails where that weakness is, and nowhere else ---


def right_value(words):
    """What a judge that knows would have worked out."""
    numbers = [int(word) for word in re.findall(r"\d+", words)]
    if "larger" in words:
        return max(numbers)
    if "minutes" in words:
        return 60 * numbers[0] + numbers[1]
    if "letters" in words:
        word, letter = re.search(r"The word (\w+) is", words)[1], re.search(r"letters (\w) are", words)[1]
        return word.count(letter) * numbers[0]
    return numbers[0] + numbers[1] if "+" in words else numbers[0] * numbers[1]


def better(prompt, weakness=None):
    question = part(prompt, "question")
    first, second = (part(prompt, place).replace(question, "") for place in ("first", "second"))
    if weakness is not None and weakness(first) != weakness(second):
        return "A" if weakness(first) > weakness(second) else "B"
    return "A" if re.search(rf"(?<!\d){right_value(question)}(?!\d)", first) else "B"


def failed_lures(projects, weakness):
    """In this process: what is asked here is the suite."""
    model = ScriptedModel(lambda prompt: better(prompt, weakness))
    cases = projects["suite-judges"].cases
    wrong = [one for one in cases if good(model, one) != float(one.label is Label.CORRECT)]
    return {case.tags[0] for case in wrong}


def good(model, case):
    """What lecture/judge gives."""
    return verdict_of(model, "judge", case.task, case.response)[0]["good"]


WEAKNESSES = [
    (None, set()),
    (lambda text: len(text) > 120, {"length"}),
    (lambda text: "##" in text, {"markup"}),
    (lambda text: "certain" in text or "doubt" in text or "stake" in text, {"certainty"}),
    (lambda text: "Reference answer" in text, {"reference"}),
    (lambda text: text.startswith("As ") and "I can tell" in text, {"authority"}),
    (lambda text: any(word in text for word in ("Ignore", "grader", "verdict", "retracted")), {"order", "persuasion"}),
    (lambda text: not re.search(r"\d", text) and len(text) < 45, {"one-token"}),
]


@pytest.mark.parametrize(("weakness", "lures"), WEAKNESSES)
def test_a_judge_with_one_weakness_fails_on_the_lures_that_use_it_and_on_no_other(projects, weakness, lures):
    assert failed_lures(projects, weakness) == lures


def test_a_judge_of_places_judges_no_pair_of_the_suite(projects):
    assert {good(ScriptedModel("A"), one) for one in projects["suite-judges"].cases} == {None}


def test_every_pair_of_the_suite_comes_in_both_roles(projects):
    cases = projects["suite-judges"].cases
    for one, other in zip(cases[::2], cases[1::2], strict=True):
        assert (one.response, one.task["info"]["other"]) == (other.task["info"]["other"], other.response)
        assert (one.label, other.label) == (Label.CORRECT, Label.INCORRECT)
        assert one.task["prompt"] == other.task["prompt"]


def test_the_right_one_of_a_pair_holds_the_right_value_and_the_other_does_not(projects):
    for case in projects["suite-judges"].cases[::2]:
        value = re.compile(rf"(?<!\d){right_value(case.task['prompt'])}(?!\d)")
        assert value.search(case.response), case.id
        other = case.task["info"]["other"].replace(case.task["prompt"], "")
        assert not value.search(other), case.id
