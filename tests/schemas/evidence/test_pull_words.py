"""What the parts of the evidence are called for readers."""

import pytest

from schemas.evidence.pull_words import pull_words


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("origin:suite", "independent suites"),
        ("tag:suites/choice:two", "tag suites/choice:two"),
        ("cluster:form hashes", "form hashes"),
        ("probe:leak_sign", "probe leak sign"),
    ],
)
def test_a_part_that_pulls_a_letter_down_is_named_for_readers(name, words):
    assert pull_words(name) == words
