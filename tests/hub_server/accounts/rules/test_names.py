"""Names that look alike, and names that are paths of the site."""

import pytest

from hub_server.accounts.rules.names import RESERVED_NAMES, fold_name


@pytest.mark.parametrize(("one", "other"), [("alice", "a1ice"), ("bill", "bi11"), ("foo", "f00"), ("lol", "i0i")])
def test_names_that_look_alike_fold_to_the_same(one, other) -> None:
    assert fold_name(one) == fold_name(other)


def test_names_that_differ_stay_apart() -> None:
    assert len({fold_name(name) for name in ("alice", "bob", "a-lice", "alice2")}) == 4


def test_paths_of_the_site_are_no_names() -> None:
    assert {"api", "docs", "static", "login", "simple", "metrics"} <= RESERVED_NAMES
