"""What the parts of the evidence are called for readers."""

import pytest

from schemas.evidence.cases import Origin
from schemas.evidence.part_words import ORIGINS_IN_LISTS, origin_counts, origins_text, part_words
from schemas.evidence.rates import Measurement, Rate


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


def test_a_list_counts_the_cases_of_each_origin_others_first() -> None:
    none = Rate(value=None, low=0, high=1)
    one = Measurement(tp=1, fp=0, tn=600, fn=3, unscored=600, fpr=none, fnr=none)
    nothing = Measurement(tp=0, fp=0, tn=0, fn=0, unscored=0, fpr=none, fnr=none)
    origins = {"author": one, "probe": one, "community": nothing, "held": one}
    assert list(origin_counts(origins).items()) == [("held", 1204), ("author", 1204)]
    assert origins_text(origins) == "1,204 held, 1,204 its author’s"
    assert origins_text({}) == ""
    counted = {str(origin) for origin in Origin} - {"probe", "reported"}
    assert set(ORIGINS_IN_LISTS) == counted, "probes and what nobody confirmed have no rates"
