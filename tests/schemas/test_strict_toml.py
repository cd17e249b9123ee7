"""TOML from strangers: a table, or a ValueError, within time that grows with its length."""

import pytest

from schemas.manifest import Manifest, ManifestError
from schemas.strict_toml import LARGEST, MOST_DOTS, parse_toml

BOMBS = {
    "arrays": "x = " + "[" * 5000,
    "inline tables": "x = " + "{a = " * 5000,
    "one long key": "a." * 20_000 + "b = 1",
    "quoted names": '"=". ' * 20_000 + "b = 1",
    "names with a line separator": '"\u2028".' * 20_000 + "b = 1",
    "a header of many names": "[" + "a." * 20_000 + "b]",
    "many digits": "x = " + "1" * 5000,
    "too large": "#" * (LARGEST + 1),
    "no TOML": "x =",
}


@pytest.mark.parametrize("text", BOMBS.values(), ids=BOMBS)
def test_what_cannot_be_read_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_toml(text)
    with pytest.raises(ManifestError, match=r"verihub\.toml is not valid TOML"):
        Manifest.from_toml(text)


def test_ordinary_text_is_read() -> None:
    assert parse_toml("a.b = 1\n[c]\nd = 'x.y'\n") == {"a": {"b": 1}, "c": {"d": "x.y"}}
    lines = "\n".join(["and so on ..." * 20] * 50)
    assert parse_toml(f'x = """\n{lines}"""')["x"] == lines
    assert lines.count(".") > MOST_DOTS, "dots are counted by line"
