"""Every release of a package, with what is said of it."""

import json

from schemas.package import ReleaseState
from tests.making.wheel import make_wheel


def test_each_release_has_its_state_and_reason(verihub, scripted):
    scripted.add(make_wheel(version="1.1.0"))
    scripted.add(make_wheel(), state=ReleaseState.YANKED, state_reason="wrong answers")
    said = verihub("versions", "alice/small-sums").out
    assert "1.1.0" in said
    assert "wrong answers" in said
    assert "yanked" in said
    assert verihub("versions", "alice/small-sums", "-q").out.split() == ["1.1.0", "1.0.0"]
    listed = json.loads(verihub("--format", "json", "versions", "alice/small-sums").out)
    assert [one["version"] for one in listed["items"]] == ["1.1.0", "1.0.0"]
    assert verihub("versions", "alice/none").code == 4
