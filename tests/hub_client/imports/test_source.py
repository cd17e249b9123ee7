import pytest

from hub_client.errors import NotFoundError
from hub_client.imports import library as libraries
from hub_client.imports.draft import Draft, ImportRefusedError
from hub_client.imports.registry import Request
from hub_client.imports.source import LibrarySource, code_of
from tests.making import library as making


class Pairs(LibrarySource):
    """A source of a library that is not named anywhere else: all that a new importer has to say."""

    name = "pairs"
    distribution = "toypairs"

    def offers(self):
        return {"sums": "two numbers, and their sum", "proofs": "needs a person"}

    def make(self, item):
        if item == "proofs":
            raise ImportRefusedError("no person is in a box")
        return Draft(self.provenance(item), "Sums", "def verify(): ...", {"right": {}}, splits={"test": [{}]})


@pytest.fixture
def pairs(cache, monkeypatch) -> Pairs:
    asked: list[str] = []

    def lock_alone(name, cache, _python):
        asked.append(name)
        return making.keep(cache, "toypairs", "1.0", making.plain_wheel("toypairs", "1.0", {"toypairs.py": ""}))

    monkeypatch.setattr(libraries, "lock_alone", lock_alone)
    source = Pairs(Request(cache, version="1.0"))
    source.asked = asked
    return source


def test_what_is_refused_says_why_in_the_list_and_when_it_is_asked_for(pairs) -> None:
    assert [(item.name, item.refused) for item in pairs.items()] == [("sums", ""), ("proofs", "no person is in a box")]
    with pytest.raises(ImportRefusedError, match="no person"):
        pairs.draft("proofs")
    with pytest.raises(NotFoundError, match=r"pairs has no sum; .*sums"):
        pairs.draft("sum")


def test_the_origin_is_what_was_typed_and_the_version_is_the_one_asked_for(pairs) -> None:
    assert not pairs.asked, "nothing is fetched before it is needed"
    origin = pairs.draft("sums").provenance
    assert (origin.source, origin.version, origin.licence) == ("pairs:sums", "1.0", "Apache-2.0")
    assert pairs.asked == ["toypairs==1.0"]


def test_a_library_without_a_licence_asks_for_it_in_words(pairs, monkeypatch) -> None:
    monkeypatch.setattr(libraries.Library, "licence", "")
    with pytest.raises(ImportRefusedError, match=r"toypairs 1.0 states no licence .*--licence BSD-3-Clause"):
        pairs.draft("sums")
    pairs._request = Request(pairs._request.cache, version="1.0", licence="MIT")
    assert pairs.draft("sums").provenance.licence == "MIT"
    monkeypatch.setattr(libraries.Library, "licence", "Apache-2.0")
    assert pairs.draft("sums").provenance.licence == "Apache-2.0", "what the library says counts"


def test_words_of_a_template_are_replaced_and_no_other() -> None:
    code = code_of("reasoning_gym", {"DATASET": "legs", "MODULE": "a.b", "BARE": "()"})
    assert 'DATASET = "legs"' in code
    assert "@" not in code.replace("@lru_cache", "")


def test_two_hundred_items_of_a_library_are_resolved_once(pairs, monkeypatch) -> None:
    asked: list[list[str]] = []
    monkeypatch.setattr(libraries, "lock_dependencies", lambda names, cache, python, without: asked.append(names) or [])
    for _ in range(200):
        assert pairs.library.needs_only(["numpy"]).dependencies == ["toypairs==1.0"]
    assert asked == [["toypairs==1.0"]]
