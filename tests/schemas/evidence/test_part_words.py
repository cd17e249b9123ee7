"""What the parts of the evidence are called for readers."""

import pytest

from schemas.evidence.part_words import part_words


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("origin:suite", "independent suites"),
        ("tag:suites/choice:two", "tag suites/choice:two"),
        ("cluster:form hashes", "form hashes"),
        ("probe:leak_sign", "probe leak sign"),
    ],
)
def test_a_part_that_lowers_a_grade_is_named_for_readers(name, words):
    assert part_words(name) == words
