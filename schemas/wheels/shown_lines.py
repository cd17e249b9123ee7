"""What a package says of itself in one line: nothing in it that a terminal obeys or that turns letters round.

Asked where a release is made. One that was published before stays readable, or its pins would break.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from schemas.manifest import Manifest
from schemas.package import ProjectLink
from schemas.problem import ProblemPart
from schemas.titles import check_line

_LONG = ("description", "system", "user")
"""Keys whose text may have several lines: of a reward, of a prompt to a model."""
_BREAKS = str.maketrans("", "", "\n\r\t")


def problems_of_lines(
    manifest: Manifest, *, summary: str, readme: str, authors: Iterable[str] = (), links: Iterable[ProjectLink] = ()
) -> list[ProblemPart]:
    """One problem for each such text. In a README its headings are looked at: other text may need the marks."""
    named = [("pyproject.toml", "description", summary)]
    named += [("pyproject.toml", "authors", name) for name in authors]
    named += [("pyproject.toml", "urls", link.label) for link in links]
    named += [("README.md", "a heading", line) for line in readme.splitlines() if line.lstrip(" ").startswith("#")]
    named += [("verihub.toml", key, text) for key, text in _texts_of(manifest.model_dump(mode="json", by_alias=True))]
    found = [(where, key, _fault_of(text)) for where, key, text in named]
    return [ProblemPart(pointer=where, message=f"{key}: {fault}") for where, key, fault in found if fault]


def _texts_of(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield key, value.translate(_BREAKS) if key.rpartition(".")[2] in _LONG else value
    elif isinstance(value, list):
        for one in value:
            yield from _texts_of(one, key)
    elif isinstance(value, dict):
        for name, one in value.items():
            yield key or "a name", name
            yield from _texts_of(one, f"{key}.{name}".lstrip("."))


def _fault_of(text: str) -> str:
    try:
        check_line(text)
    except ValueError as error:
        return str(error)
    return ""
