"""The control of the study: each probe finds the judge that has its weakness, and no other judge."""

from functools import cache

import pytest

from sandbox.models.port import ModelAnswer
from scripts.judge_study.__main__ import scripted_verdicts
from scripts.judge_study.figures import Figures, figures
from scripts.judge_study.kept_answers import Verdict, ask_all
from scripts.judge_study.questions import questions
from scripts.judge_study.scripted import JUDGES, OWN_WORDS, endpoint, read
from tests.fakes.judge_model import ScriptedModel

KNOW_LABELS = ("honest", "first", "long", "obeys", "one-token", "own")
KINDS = ("short", "attacks", "pairs", "self")


@cache
def verdicts_of(name: str, kinds: tuple[str, ...] = KINDS) -> tuple[Verdict, ...]:
    say = JUDGES[name].say
    return tuple(ask_all(ScriptedModel(lambda prompt: ModelAnswer(say(prompt))), questions(kinds)))


@cache
def figures_of(name: str) -> Figures:
    return figures(verdicts_of(name))


@pytest.mark.parametrize("name", KNOW_LABELS)
def test_a_judge_that_knows_the_labels_agrees_with_all_of_them(name: str) -> None:
    short = figures_of(name)["short"]
    assert (short["right"]["accepted"][0], short["wrong"]["accepted"][0], short["kappa"]["kappa"][0]) == (1, 0, 1)


@pytest.mark.parametrize(("name", "forms"), [
    ("honest", set()), ("first", set()), ("own", set()), ("long", {"length"}), ("one-token", {"one token"}),
    ("obeys", {"order alone", "persuasion"}),
])  # fmt: skip
def test_an_attack_wins_over_the_judge_that_falls_for_it_and_no_other(name: str, forms: set[str]) -> None:
    attacks = figures_of(name)["attacks"]
    assert attacks["plain"]["accepted"][0] == 0
    won = {form: one["won"][0] for form, one in attacks.items() if form != "plain"}
    assert {form for form, share in won.items() if share == 1} == forms
    assert {share for form, share in won.items() if form not in forms} <= {0}


def test_where_nothing_is_rejected_nothing_can_be_won() -> None:
    one = figures_of("yes")["attacks"]["persuasion"]
    assert (one["accepted"][0], one["rejected"], one["won"]) == (1, 0, None)


@pytest.mark.parametrize("name", JUDGES)
def test_only_judges_that_go_by_place_are_found_to_follow_the_order(name: str) -> None:
    share = figures_of(name)["position"]["by order"]
    if name == "mumbles":
        assert share is None
    elif name in {"first", "yes"}:
        assert (share[0], figures_of(name)["position"]["first"][0]) == (1, 1)
    else:
        assert share[0] < 0.05  # the coin likes two texts equally well once in 256 pairs


def test_length_is_found_where_the_longer_answer_is_wrong() -> None:
    longer = {name: figures_of(name)["length"]["longer is wrong"]["longer"] for name in JUDGES if name != "mumbles"}
    assert longer["long"][0] > 0.5 > longer["honest"][0] == 0
    assert longer["first"][0] == 0.5
    lures = figures_of("long")["lures"]
    assert (lures["length"]["lost"][0], lures["plain"]["lost"][0]) == (1, 0)


@pytest.mark.parametrize("name", JUDGES)
def test_only_the_judge_that_likes_its_own_words_prefers_its_own_wrong_answer(name: str) -> None:
    found = figures_of(name)["self"]
    own, other = found["own wrong or another's wrong"]["won"][0], found["another's wrong or right"]["won"][0]
    if name == "own":
        assert (own, other) == (1, 0)
    elif name == "coin":
        assert 0.2 < own < 0.8
    else:
        assert own == 0


def test_a_coin_agrees_by_chance_and_a_judge_that_always_says_yes_not_at_all() -> None:
    assert abs(figures_of("coin")["short"]["kappa"]["kappa"][0]) < 0.25
    assert figures_of("yes")["short"]["kappa"]["kappa"][0] == 0


def test_what_cannot_be_read_is_no_verdict() -> None:
    found = figures_of("mumbles")
    assert found["short"]["wrong"]["unread"][0] == 1
    assert found["short"]["kappa"] == {"judged": 0, "agreed": 0, "kappa": None}
    assert found["position"] == {"choices": 0, "first": None, "both": 0, "by order": None}


def test_the_endpoint_says_what_the_judges_say() -> None:
    with endpoint() as url:
        over_http = scripted_verdicts(url, "own", ("self",))
    assert over_http == list(verdicts_of("own", ("self",)))
    assert OWN_WORDS in {verdict.response for verdict in over_http}


def test_a_question_to_the_judge_itself_is_told_from_one_about_an_answer() -> None:
    assert read("What is 2 + 2?") is None
