"""Options of a question: each letter keeps its words, and what is added makes no wrong answer right."""

from random import Random

import pytest

from sandbox.audit.probes import task_options

ASKED = {"prompt": "Which word?\nA) violin\nB) needle\nC) feather\nAnswer with a letter.", "answer": "C"}
WORDS = ["violin", "needle", "feather"]


def test_each_option_keeps_its_letter_and_its_words() -> None:
    found = dict(task_options.rewritten(ASKED))
    prompts = {way: one["prompt"] for way, one in found.items() if "prompt" in one}
    assert prompts["options in brackets"].splitlines()[1:4] == ["(A) violin", "(B) needle", "(C) feather"]
    assert prompts["options with points"].splitlines()[3] == "C. feather"
    assert prompts["options in a line"] == "Which word?\n(A) violin   (B) needle   (C) feather\nAnswer with a letter."
    more = prompts["more options"].splitlines()
    assert more[:4] == ASKED["prompt"].splitlines()[:4]
    assert [line[:2] for line in more[4:-1]] == ["D)", "E)", "F)", "G)", "H)"]
    for prompt in prompts.values():
        assert [prompt.index(word) for word in WORDS] == sorted(prompt.index(word) for word in WORDS)
        assert prompt != ASKED["prompt"]
    assert found["choices beside it"] == {"info": {"choices": WORDS}}
    assert found["options beside it"]["info"]["options"] == dict(zip("ABC", WORDS, strict=True))


@pytest.mark.parametrize(
    "prompt",
    ["Which word?", "Which?\nA) one", "Which?\nB) one\nC) two", "Which?\nA) one\nC) two", [{"role": "user"}]],
    ids=["no options", "one alone", "no A", "no B", "a chat"],
)
def test_what_is_no_list_of_options_stays(prompt) -> None:
    assert list(task_options.rewritten({"prompt": prompt, "answer": "A"})) == []


def test_what_a_task_says_of_its_options_stays() -> None:
    assert not [one for _, one in task_options.rewritten(ASKED | {"info": {"choices": WORDS}}) if "info" in one]


def test_added_options_hold_the_right_answer_and_what_the_response_says() -> None:
    found = dict(task_options.added({"prompt": "50 + 5?", "answer": 55}, "That gives 77.", Random(1)))
    choices = found["choices beside it"]["info"]["choices"]
    assert {"55", "77"} < set(choices)
    assert len(choices) == 4
    lines = found["options added"]["prompt"].splitlines()
    assert lines == ["50 + 5?", *(f"{letter}) {text}" for letter, text in zip("ABCD", choices, strict=True))]
    assert found["options added in a line"]["prompt"].startswith("50 + 5?\n\nOptions: (A) ")


@pytest.mark.parametrize(
    ("task", "response"),
    [
        ({"prompt": "?", "answer": 55}, "I get 77."),
        ({"prompt": "?", "answer": 55}, "a total of 77"),
        ({"prompt": "?", "answer": 55}, "2 steps: 77"),
        ({"prompt": "?", "answer": 5}, "That gives 77."),
        ({"prompt": "?", "answer": "Oslo"}, "That gives 77."),
        ({"prompt": "?", "answer": 55}, "No idea."),
        ({"prompt": "?\nA) 1", "answer": 55}, "77"),
        ({"prompt": "?", "answer": 55, "info": {"options": ["1"]}}, "77"),
    ],
    ids=["a letter", "a small letter", "a place", "an answer that is a place", "a word", "no number", "listed", "told"],
)
def test_nothing_is_added_where_a_response_could_choose_an_option(task, response) -> None:
    assert list(task_options.added(task, response, Random(1))) == []
