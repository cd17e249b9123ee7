"""What models read of a tool comes from its docstring, in whichever of three styles its author writes."""

import re
import textwrap

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.guest.docstrings import read_docstring

names = st.from_regex(r"[a-z_][a-z0-9_]{0,7}", fullmatch=True)
sentences = st.lists(st.from_regex(r"[a-zA-Z0-9(),.-]{1,8}", fullmatch=True), min_size=1, max_size=8).map(" ".join)
tools = st.tuples(sentences, st.dictionaries(names, sentences, min_size=1, max_size=4), st.integers(20, 60))


def _google(said: str, width: int) -> list[str]:
    return textwrap.wrap(said, width, subsequent_indent="    ", break_on_hyphens=False, break_long_words=False)


def google(summary: str, arguments: dict[str, str], width: int) -> str:
    rows = [f"    {line}" for name, said in arguments.items() for line in _google(f"{name} (int): {said}", width)]
    return "\n".join([summary, "", "Args:", *rows, "", "Returns:", "    the sum"])


def numpy(summary: str, arguments: dict[str, str], width: int) -> str:
    rows = []
    for name, said in arguments.items():
        rows += [f"{name} : int, optional", *(f"    {line}" for line in textwrap.wrap(said, width))]
    return "\n".join([summary, "", "Parameters", "----------", *rows, "", "Returns", "-------", "int", "    the sum"])


def rest(summary: str, arguments: dict[str, str], width: int) -> str:
    rows = []
    for name, said in arguments.items():
        rows += [*_google(f":param int {name}: {said}", width), f":type {name}: int"]
    return "\n".join([summary, "", *rows, ":returns: the sum"])


@pytest.mark.parametrize("style", [google, numpy, rest])
@settings(max_examples=40)
@given(tools)
def test_every_style_says_the_same(style, tool) -> None:
    summary, arguments, width = tool
    kept, described = read_docstring(style(summary, arguments, width))
    assert described == arguments
    assert kept.startswith(summary)
    assert "the sum" in kept


@given(st.text(alphabet="ab :\n-*,()[]\t\u00a0\u2028\x0b\\rgsnpdA", max_size=200) | st.text(max_size=200))
def test_any_text_is_read_and_only_names_are_described(text: str) -> None:
    summary, described = read_docstring(text)
    assert all(re.fullmatch(r"\w+", name) for name in described)
    assert all(said == " ".join(said.split()) != "" for said in described.values())
    words = set(text.split())
    assert set(summary.split()) <= words, "nothing is made up"


@pytest.mark.parametrize("title", ["Args:", "arguments:", "Parameters:", "PARAMS:"])
def test_a_title_may_be_written_in_several_ways(title: str) -> None:
    assert read_docstring(f"Add.\n\n{title}\n  a: one\n  b: two") == ("Add.", {"a": "one", "b": "two"})


def test_a_colon_in_an_explanation_begins_no_new_argument() -> None:
    text = "Args:\n    path: where it lies,\n        for example: C:\\\\x\n    mode: r or w"
    assert read_docstring(text)[1] == {"path": "where it lies, for example: C:\\\\x", "mode": "r or w"}


def test_stars_belong_to_the_signature_and_not_to_the_name() -> None:
    assert read_docstring("Args:\n    **options: more")[1] == {"options": "more"}
    assert read_docstring(":param *rest: more")[1] == {"rest": "more"}


def test_several_arguments_of_numpy_share_what_is_said() -> None:
    text = "Parameters\n----------\nx, y : float\n    a point\n\nSee Also\n--------\nother"
    assert read_docstring(text) == ("See Also\n--------\nother", {"x": "a point", "y": "a point"})


def test_examples_after_the_arguments_stay_in_the_summary() -> None:
    text = "Add.\n\nArgs:\n    a: one\n\nExamples:\n    >>> add(1)\n    1"
    assert read_docstring(text) == ("Add.\n\nExamples:\n    >>> add(1)\n    1", {"a": "one"})


@pytest.mark.parametrize("text", ["", "Args:", "Parameters\n---", "Args:\n\n\n", ":param x:", ":type x: int"])
def test_a_title_with_nothing_below_describes_nothing(text: str) -> None:
    assert read_docstring(text) == ("", {})


def test_a_list_in_prose_is_no_list_of_arguments() -> None:
    text = "Search.\n\nNote: case matters.\nUse: sparingly."
    assert read_docstring(text) == (text, {})
