"""What the parts of the evidence are called on a page."""

import pytest

from hub_server.site.rendering.case_origins import ORIGIN_WORDS, origin_words, pull_words
from schemas.evidence.cases import Origin


def test_every_origin_of_cases_has_words():
    assert set(ORIGIN_WORDS) == {str(origin) for origin in Origin}
    assert origin_words("an origin of a later version") == "an origin of a later version"


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
