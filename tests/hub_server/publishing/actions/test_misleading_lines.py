"""No release begins with a text that turns the letters after it round, or that a terminal obeys."""

import pytest

from hub_client.errors import CheckFailedError
from hub_client.packaging.pack import open_wheel
from hub_server.publishing.actions import publish
from schemas.wheels.wheel import read_wheel
from tests.making.hub import Api, make_package
from tests.making.wheel import MANIFEST, METADATA
from tests.schemas.wheels.test_shown_lines import PLACES


@pytest.mark.parametrize("place", PLACES)
def test_a_release_that_misleads_its_readers_is_refused_with_the_place(place: str, alice: Api, tmp_path) -> None:
    wheel = make_package(**PLACES[place])
    read_wheel(wheel)  # one that was published before stays readable
    answer = alice.publish(wheel)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_package"), answer.text
    assert "control characters such as U+" in answer.json()["errors"][0]["message"]
    assert answer.json()["errors"][0]["pointer"] in {"pyproject.toml", "README.md", "verihub.toml"}
    assert "\u202e" not in answer.text
    file = tmp_path / "a.whl"
    file.write_bytes(wheel)
    with pytest.raises(CheckFailedError, match="control characters such as"):
        open_wheel(file)


def test_other_scripts_long_descriptions_and_marks_within_a_text_are_published(alice: Api) -> None:
    manifest = MANIFEST.replace('"the sum is right"', '"""two\nlines"""').replace(
        '"math"', '"مى\u200cخواهم", "👩\u200d🔬"'
    )
    metadata = (
        METADATA.replace("Sums of small numbers", "سلام, Möße") + "\nA text with \u200f marks, and # no heading\n"
    )
    answer = alice.publish(make_package(manifest=manifest, metadata=metadata))
    assert answer.status_code == 201, answer.text


def test_a_release_that_was_published_before_is_still_the_same_release(
    alice: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel = make_package(**PLACES["summary"])
    with monkeypatch.context() as patched:
        patched.setattr(publish, "problems_of_lines", lambda *_, **__: [])
        assert alice.publish(wheel).status_code == 201
    again = alice.publish(wheel)
    assert (again.status_code, again.json()["created"]) == (200, False)
