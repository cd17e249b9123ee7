"""What the parts of the evidence are called on a page."""

from hub_server.site.rendering.case_origins import origin_words
from schemas.evidence.cases import Origin
from schemas.evidence.part_words import ORIGIN_WORDS


def test_every_origin_of_cases_has_words():
    assert set(ORIGIN_WORDS) == {str(origin) for origin in Origin}
    assert origin_words("an origin of a later version") == "an origin of a later version"
