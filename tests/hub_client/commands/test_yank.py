"""A release is taken out with a reason, by its exact version, and put back."""

import pytest

from schemas.package import ReleaseState
from tests.making.scripted_hub import problem
from tests.making.wheel import make_wheel

TARGET = "alice/small-sums@1.0.0"
PLACE = "/packages/alice/small-sums/releases/1.0.0"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("alice/small-sums", "--reason", "x"), "name one release, for example alice/small-sums@1.0.0"),
        (("alice/small-sums@>=1", "--reason", "x"), "name one release"),
        ((TARGET,), "say why with --reason"),
        ((TARGET, "--reason", ""), "say why with --reason"),
    ],
)
def test_what_is_missing_is_said_before_the_hub_is_asked(verihub, scripted, arguments, words):
    said = verihub("yank", *arguments)
    assert (said.code, scripted.asked) == (2, [])
    assert words in said.err


def test_the_reason_travels_and_the_new_state_is_said(verihub, scripted):
    release = scripted.add(make_wheel())
    scripted.on("POST", f"{PLACE}/yank", release.model_copy(update={"state": ReleaseState.YANKED}))
    assert verihub("yank", TARGET, "--reason", "accepts all").out.strip() == f"{TARGET} is yanked"
    assert scripted.bodies == [b'{"reason": "accepts all"}']


def test_undoing_needs_no_reason(verihub, scripted):
    release = scripted.add(make_wheel())
    scripted.on("POST", f"{PLACE}/unyank", release)
    assert verihub("yank", TARGET, "--undo", "-q").out.strip() == "active"


def test_somebody_elses_release_stays(verihub, scripted):
    scripted.on("POST", f"{PLACE}/yank", problem(403, "not_allowed", "alice/small-sums is not yours"))
    said = verihub("yank", TARGET, "--reason", "mine now")
    assert said.code == 9
    assert "is not yours" in said.err
