"""Title Case is made only where the whole text must be in capitals, or in small letters."""

import random

import pytest

from sandbox.audit.probes.leak_letter_case import FAMILY
from sandbox.audit.probes.material import Example, Material


def made(prompt: str, response: str) -> list[str | None]:
    material = Material({}, (), (Example({"id": "t", "prompt": prompt}, response),))
    return [draft.response for draft in FAMILY.make(material, random.Random(1))]


@pytest.mark.parametrize(
    ("prompt", "response", "title"),
    [
        ("Write about rain. Use capital letters only.", "RAIN FALLS HERE.", "Rain Falls Here."),
        ("Your entire response should be in all lowercase letters. Write it.", "rain falls here.", "Rain Falls Here."),
        ("Answer in upper case only!", "RAIN FALLS HERE", "Rain Falls Here"),
    ],
)
def test_the_case_is_changed(prompt: str, response: str, title: str) -> None:
    assert made(prompt, response) == [title]


@pytest.mark.parametrize(
    ("prompt", "response"),
    [
        ("All sentences begin with capital letters.", "RAIN FALLS HERE."),
        ("Write three words in capital letters only.", "RAIN FALLS HERE"),
        ("Use capital letters only.", "Rain falls here."),
        ("Use capital letters only.", "OK"),
        ("Use no capital letters.", "rain falls here"),
        ("Write about rain.", "RAIN FALLS HERE"),
        ("Write all of it. The title is in capital letters.", "RAIN FALLS HERE"),
    ],
)
def test_a_part_of_the_text_is_no_reason(prompt: str, response: str) -> None:
    assert made(prompt, response) == []
