"""No release begins with a text that turns the letters after it round, or that a terminal obeys."""

import json

import pytest

from schemas.package import ProjectLink
from schemas.wheels.shown_lines import problems_of_lines
from schemas.wheels.wheel import read_wheel
from tests.making.wheel import MANIFEST, METADATA, make_wheel

TURNED = "safe \u202egnp.exe"
PLACES = {
    "summary": {"metadata": METADATA.replace("Sums of small numbers", TURNED)},
    "readme heading": {"metadata": METADATA.replace("# Small sums", f"# {TURNED}")},
    "tag": {"manifest": MANIFEST.replace('"math"', json.dumps(TURNED))},
    "author": {"metadata": METADATA.replace("Requires-Python", f"Author: {TURNED}\nRequires-Python")},
    "link": {
        "metadata": METADATA.replace("Requires-Python", f"Project-URL: {TURNED}, https://example.org/\nRequires-Python")
    },
    "split": {"manifest": MANIFEST.replace("{ train =", f"{{ {json.dumps(TURNED)} =")},
    "reward": {"manifest": MANIFEST.replace("the sum is right", TURNED)},
    "escape": {"manifest": MANIFEST.replace("the sum is right", "a\\u001b[2Jb")},
    "line separator": {"manifest": MANIFEST.replace('"math"', '"a\\u2028b"')},
}


def test_every_place_is_named() -> None:
    contents = read_wheel(make_wheel())
    link = ProjectLink(label=TURNED, url="https://example.org/")
    found = problems_of_lines(
        contents.manifest, summary=TURNED, readme=f"fine\n## {TURNED}\n", authors=[TURNED], links=[link]
    )
    assert [part.message.partition(":")[0] for part in found] == ["description", "authors", "urls", "a heading"]
    assert not problems_of_lines(contents.manifest, summary="fine", readme=contents.readme)


@pytest.mark.parametrize("place", PLACES)
def test_each_is_refused_where_a_release_is_made_and_read_where_it_is_there(place: str) -> None:
    contents = read_wheel(make_wheel(**PLACES[place]))
    said = contents.metadata
    [problem] = problems_of_lines(
        contents.manifest, summary=said.summary, readme=said.readme, authors=said.authors, links=said.links
    )
    assert "control characters such as U+" in problem.message
