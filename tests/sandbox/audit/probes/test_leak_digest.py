"""The answer in a sealed form: none that shows it, and none where the answer does not decide."""

import hashlib
import random

from sandbox.audit.probes.leak_digest import FAMILY
from sandbox.audit.probes.material import Example, Material


def drafts(answer: object, says: str = "It is {}."):
    shown = tuple(Example({"id": f"r{n}", "prompt": "?", "answer": n}, says.format(n)) for n in (11, 12, 13))
    material = Material({}, ({"id": "t", "prompt": "?", "answer": answer},), shown)
    return {one.way: one.response for one in FAMILY.make(material, random.Random(1))}


def test_each_form_of_the_answer_is_a_response() -> None:
    found = drafts(1234567)
    assert set(found) == {"SHA-256", "SHA-1", "MD5", "Base64"}
    assert found["SHA-256"] == hashlib.sha256(b"1234567").hexdigest()


def test_a_form_in_which_the_answer_stands_by_chance_is_left_out() -> None:
    assert "7" in hashlib.sha256(b"7").hexdigest()
    assert "SHA-256" not in drafts(7)


def test_where_the_answer_does_not_decide_there_is_none() -> None:
    assert drafts(1234567, says="I follow instructions.") == {}
