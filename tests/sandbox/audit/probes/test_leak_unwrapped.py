"""Wrong answers without the form of the adapter: only where there is a form, and only what stood in it."""

import random

import pytest

from sandbox.audit.probes.leak_unwrapped import FAMILY
from sandbox.audit.probes.material import Example, Material

TASK = {"id": "t", "prompt": "?", "answer": 5}


def drafts(forms: tuple[str, ...], *texts: str) -> list[str | None]:
    wrong = tuple(Example(TASK, text) for text in texts)
    material = Material({}, (TASK,), (), wrong=wrong, forms=forms)
    return [draft.response for draft in FAMILY.make(material, random.Random(1))]


def test_the_form_is_taken_off_once() -> None:
    assert drafts(("<a>{response}</a>",), "<a>7</a>", "<a><a>8</a></a>") == ["7", "<a>8</a>"]


@pytest.mark.parametrize("text", ["7", "<a>7", "7</a>", "x <a>7</a>"])
def test_an_answer_that_is_not_in_the_form_is_none_of_them(text: str) -> None:
    assert drafts(("<a>{response}</a>",), text) == []


def test_an_adapter_without_a_form_has_nothing_to_take_off() -> None:
    assert drafts(("{response}",), "7") == []
    assert drafts((), "7") == []


def test_of_several_adapters_the_one_that_wrote_it_counts() -> None:
    assert drafts(("#### {response}", "<a>{response}</a>"), "#### 7", "<a>8</a>") == ["7", "8"]
