"""A release says what to use instead, and the word can be taken back."""

from schemas.package import ReleaseState
from tests.making.wheel import make_wheel

TARGET = "alice/small-sums@1.0.0"
PLACE = "/packages/alice/small-sums/releases/1.0.0"


def test_the_reason_travels_and_the_new_state_is_said(verihub, scripted):
    release = scripted.add(make_wheel())
    scripted.on("POST", f"{PLACE}/deprecate", release.model_copy(update={"state": ReleaseState.DEPRECATED}))
    assert verihub("deprecate", TARGET, "--reason", "use 2").out.strip() == f"{TARGET} is deprecated"
    assert scripted.bodies == [b'{"reason": "use 2"}']


def test_a_reason_is_asked_for_and_undoing_needs_none(verihub, scripted):
    said = verihub("deprecate", TARGET)
    assert (said.code, scripted.asked) == (2, [])
    assert "say what to use instead" in said.err
    scripted.on("POST", f"{PLACE}/undeprecate", scripted.add(make_wheel()))
    assert verihub("deprecate", TARGET, "--undo", "-q").out.strip() == "active"
