import pytest

from hub_client.imports.cases import labelled_cases, played_cases


def _cases(*answers, one_right_answer=False):
    tasks = [{"id": f"t{index}", "answer": answer} for index, answer in enumerate(answers)]
    return labelled_cases(tasks, "<a>{answer}</a>", one_right_answer=one_right_answer)


def _said(cases, form: str) -> dict[str, str]:
    return {case["task_id"]: case["response"] for case in cases if case["tags"] == [form]}


def test_a_tasks_own_answer_is_right_and_the_rest_is_wrong() -> None:
    cases = _cases("12", "40")
    assert {case["label"] for case in cases if case["tags"] == ["own-answer"]} == {"correct"}
    assert {case["label"] for case in cases if case["tags"] != ["own-answer"]} == {"incorrect"}
    assert _said(cases, "own-answer") == {"t0": "<a>12</a>", "t1": "<a>40</a>"}
    assert _said(cases, "other-tasks-answer") == {"t0": "<a>40</a>", "t1": "<a>12</a>"}
    assert _said(cases, "silent")["t0"] == "I do not know."
    assert len({case["id"] for case in cases}) == len(cases)


@pytest.mark.parametrize(
    "answers",
    [
        ("7", "7.0"),  # the same number
        ("7.01", "7.02"),  # within what a scorer may tolerate
        ("1000", "1010"),
        ("{1,2}", "{2, 1}", *map(str, "abcdefgh")),  # one text of many may be as right as another
        ("x + 1", "5"),
    ],
)
def test_another_tasks_answer_is_no_case_where_it_may_be_right_too(answers) -> None:
    assert "t0" not in _said(_cases(*answers, one_right_answer=False)[:3], "other-tasks-answer")


def test_texts_differ_for_certain_where_there_is_one_right_answer_or_a_short_list() -> None:
    many = [f"word {letter}" for letter in "abcdefghijkl"]
    assert _said(_cases(*many), "other-tasks-answer") == {}
    assert _said(_cases(*many, one_right_answer=True), "other-tasks-answer")["t0"] == "<a>word b</a>"
    assert _said(_cases("Paris.", "paris", one_right_answer=True), "other-tasks-answer") == {}
    assert _said(_cases("yes", "yes", "no"), "other-tasks-answer") == {
        "t0": "<a>no</a>",
        "t1": "<a>no</a>",
        "t2": "<a>yes</a>",
    }


def test_a_task_without_an_answer_has_only_cases_that_are_wrong_for_certain() -> None:
    cases = _cases(None, {"grid": [1]})
    assert {case["label"] for case in cases} == {"incorrect"}
    assert {case["tags"][0] for case in cases} == {"unsure", "silent"}, "nothing may be the right answer"


def test_an_answer_that_says_nothing_is_not_called_wrong() -> None:
    assert _said(_cases("not sure", "none"), "unsure") == {}


def test_one_text_for_many_tasks_is_one_cluster_and_answers_that_differ_are_not() -> None:
    clusters = {case["tags"][0]: case.get("cluster") for case in _cases("12", "40")}
    assert clusters == {
        "own-answer": None,
        "other-tasks-answer": None,
        "empty": "empty",
        "unsure": "unsure",
        "silent": "silent",
    }


def test_moves_of_a_game_are_cases_and_another_secrets_guess_is_wrong() -> None:
    tasks = [{"id": "a", "answer": ["[3]"]}, {"id": "b", "answer": ["[3]"]}, {"id": "c", "answer": ["[4]"]}]
    found = {case["id"]: (case["state"]["moves"], case["label"]) for case in played_cases(tasks)}
    assert found["a-own-moves"] == (["[3]"], "correct")
    assert found["a-other-tasks-moves"] == (["[4]"], "incorrect"), "not that of b, which is the same"
    assert found["a-no-move"] == ([], "incorrect")


def test_against_another_player_two_moves_may_win_so_that_neither_is_wrong() -> None:
    tasks = [{"id": "a", "answer": ["Bet"]}, {"id": "b", "answer": ["Pass"]}]
    assert {
        case["tags"][0] for case in played_cases(tasks, one_right_answer=False) if case["label"] == "incorrect"
    } == {
        "no-move",
        "silent",
    }


def test_other_ways_to_win_are_not_called_wrong_and_a_game_without_known_moves_has_wrong_cases_alone() -> None:
    tasks = [{"id": "a", "answer": ["x", "y"]}, {"id": "b", "answer": ["y", "x"]}, {"id": "c", "answer": None}]
    cases = played_cases(tasks)
    assert not [case for case in cases if case["tags"] == ["other-tasks-moves"]]
    assert {case["tags"][0] for case in cases if case["task_id"] == "c"} == {"no-move", "silent"}
