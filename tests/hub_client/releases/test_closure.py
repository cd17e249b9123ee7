"""Everything a package needs, each once, in an order in which it can be published."""

import pytest

from hub_client.errors import CheckFailedError
from hub_client.releases.closure import load_with_needs
from schemas.names import Reference


class Resolver:
    """Packages by name: what each needs. The real one has tests of its own."""

    def __init__(self, needs: dict[str, list[str]]) -> None:
        self.needs = needs
        self.loads: list[str] = []

    def load(self, reference: Reference) -> "Loaded":
        self.loads.append(str(reference))
        return Loaded(reference, self.needs[reference.package])


class Loaded:
    def __init__(self, reference: Reference, needs: list[str]) -> None:
        self.package, self.version = reference.package, str(reference).partition("@")[2] or "1.0.0"
        self.reference, self.digest = f"{self.package}@{self.version}", "sha256:0"
        self.contents = self.manifest = self
        self.references = [("verifier", Reference.parse(need)) for need in needs]


def order(needs: dict[str, list[str]], *wanted: str) -> list[str]:
    resolver = Resolver(needs)
    found = load_with_needs(resolver, [Reference.parse(one) for one in wanted], lambda _: None)
    return [package.package for package in found]


def test_what_is_needed_comes_before_whatever_needs_it():
    needs = {"al/a": ["al/b", "al/c"], "al/b": ["al/d"], "al/c": ["al/d"], "al/d": []}
    found = order(needs, "al/a")
    assert sorted(found) == ["al/a", "al/b", "al/c", "al/d"]
    for package, wanted in needs.items():
        assert all(found.index(need) < found.index(package) for need in wanted)


def test_what_is_named_twice_is_there_once():
    assert order({"al/a": [], "al/b": ["al/a"]}, "al/b", "al/a", "al/b") == ["al/a", "al/b"]


def test_packages_that_need_each_other_come_to_an_end():
    assert sorted(order({"al/a": ["al/b"], "al/b": ["al/a"]}, "al/a")) == ["al/a", "al/b"]


def test_two_versions_of_one_package_are_refused():
    with pytest.raises(CheckFailedError, match=r"al/b is needed as 1.0.0 and as 2.0.0"):
        order({"al/a": ["al/b@2.0.0"], "al/b": []}, "al/b@1.0.0", "al/a")
