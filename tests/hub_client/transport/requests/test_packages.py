"""Addresses of packages: a name is checked before it becomes a path, so that none leads elsewhere on the hub."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub_client.transport.requests.benchmarks import get_report
from hub_client.transport.requests.packages import change_state, package_path, publish, release_path, search
from schemas.names import InvalidNameError

HOSTILE = [
    "../../admin",
    "a/b/c",
    "alice/../bob",
    "alice/x?y=1",
    "alice/x#y",
    "alice/%2e%2e",
    "Alice/x",
    "",
    "alice",
    "alice/",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_leads_out_of_its_folder(name):
    with pytest.raises(InvalidNameError):
        package_path(name)
    with pytest.raises(InvalidNameError):
        release_path(name, "1.0.0")
    with pytest.raises(InvalidNameError):
        get_report(name, "1.0.0")


@given(st.text(max_size=30))
def test_no_version_adds_a_step_to_the_path(version):
    path = release_path("alice/x", version.replace("\ud800", "")) if version.isprintable() else ""
    assert path.count("/") in (0, 5)
    assert "?" not in path
    assert "#" not in path


def test_a_search_without_words_asks_for_everything():
    assert search("").params == {}
    assert search("math", limit=5).params == {"q": "math", "limit": 5}


def test_a_publish_may_be_sent_again_and_a_rehearsal_says_that_it_is_one():
    call = publish(b"wheel", "sha256:0")
    assert (call.is_repeatable, call.params, call.headers["Digest-Sha256"]) == (True, {}, "sha256:0")
    assert publish(b"wheel", "sha256:0", dry_run=True).params == {"dry_run": "true"}


def test_a_state_is_changed_with_its_reason_or_without_a_body():
    assert change_state("alice/x", "1.0.0", "yank", "wrong").content == b'{"reason": "wrong"}'
    assert change_state("alice/x", "1.0.0", "unyank").content is None
