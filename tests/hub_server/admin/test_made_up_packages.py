"""Made-up packages: as many as asked for, the same for the same seed, and sound enough to be shown."""

from collections import Counter

from hub_server.accounts.rules.names import fold_name
from hub_server.admin.made_up_packages import PackageMaker
from schemas.manifest import Manifest
from schemas.names import Reference


def test_there_are_as_many_as_asked_for_and_each_name_is_valid_and_its_own() -> None:
    made = list(PackageMaker(packages=300, releases=2000).packages())
    assert len({one.id for one in made}) == len(made) == 300
    assert sum(len(one.releases) for one in made) == 2000
    assert all(one.releases for one in made)
    assert len({release.digest for one in made for release in one.releases}) == 2000
    for one in made:
        assert Reference.parse(one.id).package == one.id
        assert Manifest.read(one.manifest).kind is one.kind
        assert [release.published_at for release in one.releases] == sorted(r.published_at for r in one.releases)


def test_fewer_releases_than_packages_are_one_each() -> None:
    assert [len(one.releases) for one in PackageMaker(packages=5, releases=1).packages()] == [1] * 5


def test_a_seed_makes_the_same_packages_and_another_makes_others() -> None:
    first, again = (list(PackageMaker(packages=20, releases=50, seed=7).packages()) for _ in range(2))
    assert first == again
    assert first != list(PackageMaker(packages=20, releases=50, seed=8).packages())


def test_no_two_owners_look_alike() -> None:
    owners = PackageMaker(packages=5000, releases=5000).owners
    assert len({fold_name(owner) for owner in owners}) == len(owners) > 100


def test_words_are_common_and_rare_as_in_real_text() -> None:
    """A search for a common word must have many hits, and one for a rare word few."""
    words = Counter[str]()
    for one in PackageMaker(packages=300, releases=300).packages():
        words.update(set(one.readme.lower().split()))
    assert words["the"] > 290
    assert sum(1 for count in words.values() if count < 10) > len(words) / 2
