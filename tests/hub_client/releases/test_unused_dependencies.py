import io
import zipfile

import pytest
from packaging.requirements import Requirement
from packaging.utils import parse_wheel_filename

from hub_client.releases.unused_dependencies import empty_wheel, needed_names


def _wheel(folder, name: str, *requires: str):
    path = folder / f"{name}-1-py3-none-any.whl"
    lines = "".join(f"Requires-Dist: {text}\n" for text in requires)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{name}-1.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n{lines}")
    return path


@pytest.fixture
def wheels(tmp_path):
    """a needs b and c; b and c need d; c, with its extra, needs e; on Windows a needs f."""
    needs = {
        "a": ["b", "c[more]>=1", 'f; sys_platform == "win32"'],
        "b": ["d"],
        "c": ["d", 'e; extra == "more"'],
        "d": ["a"],
        "e": [],
        "f": [],
    }
    return {name: _wheel(tmp_path, name, *texts) for name, texts in needs.items()}


@pytest.mark.parametrize(
    ("without", "kept"),
    [([], "abcde"), (["b"], "acde"), (["c"], "abd"), (["b", "C"], "a"), (["d"], "abce"), (["not-there"], "abcde")],
)
def test_what_is_left_out_takes_along_what_only_it_needs(wheels, without: list[str], kept: str) -> None:
    assert needed_names(["a"], wheels, without) == set(kept)


@pytest.mark.parametrize("text", ["c-parser", "c-parser==2.1", "c-parser>=2,<3", "c-parser~=1.4", "c.parser==2.*"])
def test_an_empty_wheel_is_one_that_fits(text: str) -> None:
    name, content = empty_wheel(text)
    assert Requirement(text).specifier.contains(parse_wheel_filename(name)[1])
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert {path.partition("/")[2] for path in archive.namelist()} == {"METADATA", "WHEEL", "RECORD"}
