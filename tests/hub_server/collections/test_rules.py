import pytest

from hub_server.collections.rules import MOST_WORDS, is_private_after, why_not_held, words_of
from schemas.package import Visibility


@pytest.mark.parametrize(
    ("was", "wanted", "expected"),
    [
        (None, None, False),
        (None, Visibility.PRIVATE, True),
        (True, None, True),
        (True, Visibility.PUBLIC, False),
        (False, None, False),
    ],
)
def test_a_visibility_that_is_not_named_stays(was: bool | None, wanted: Visibility | None, expected: bool) -> None:
    assert is_private_after(was_private=was, wanted=wanted) is expected


def test_a_private_package_stays_among_its_own() -> None:
    assert why_not_held("acme", is_private=False, private={}) == ""
    assert why_not_held("acme", is_private=True, private={"acme/x": "acme"}) == ""
    assert "make the collection private" in why_not_held("acme", is_private=False, private={"acme/x": "acme"})
    assert "another owner than acme" in why_not_held("acme", is_private=True, private={"acme/x": "alice"})


def test_words_are_few_each_once_and_without_punctuation() -> None:
    assert words_of('  "Agents, agents" … with\x00tools? ') == ["agents", "…", "with", "tools"]
    assert len(words_of(" ".join(map(str, range(99))))) == MOST_WORDS
    assert words_of("?! ,") == []
