"""Arguments go to an author's function by name, in whatever order and form it has them."""

import sys
import types
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.guest.author_function import BindingError, Bound, load_entry

KNOWN = ("task", "response", "messages", "state")
VALUES = {name: f"the {name}" for name in KNOWN}
names = st.permutations([*KNOWN, "extra", "more"])


@given(names, st.integers(0, 6), st.integers(0, 6), st.booleans(), st.booleans())
def test_a_function_gets_what_it_names_and_nothing_else(
    order: list[str], count: int, keyword_only: int, takes_all: bool, wants_rest: bool
) -> None:
    """Every form of signature: ``extra`` and ``more`` have defaults, from the first of them on all have."""
    first, last = order[:count][: max(0, count - keyword_only)], order[:count][max(0, count - keyword_only) :]
    parts, has_default = [], False
    for name in first:
        has_default = has_default or name not in KNOWN
        parts.append(f"{name}='default'" if has_default else name)
    if wants_rest or last:
        parts.append("*rest" if wants_rest else "*")
    parts += [name if name in KNOWN else f"{name}='default'" for name in last]
    if takes_all:
        parts.append("**others")
    scope: dict[str, Any] = {}
    exec(f"def f({', '.join(parts)}): return locals()", scope)
    got = Bound(scope["f"], KNOWN, "f()")(VALUES)
    assert got.pop("rest", ()) == ()
    others = got.pop("others", {})
    assert got == {name: VALUES.get(name, "default") for name in order[:count]}
    assert others == ({name: value for name, value in VALUES.items() if name not in got} if takes_all else {})


@pytest.mark.parametrize("taken", KNOWN)
def test_what_a_function_wants_is_known_beforehand(taken: str) -> None:
    bound = Bound(eval(f"lambda {taken}: 1"), KNOWN, "f()")
    assert [name for name in KNOWN if bound.wants(name)] == [taken]
    assert Bound(lambda **_: 1, KNOWN, "f()").wants(taken)


class _Grader:
    def __call__(self, response: str, task: str) -> tuple[str, str]:
        return response, task

    def method(self, task: str, response: str) -> tuple[str, str]:
        return response, task

    @classmethod
    def of_class(cls, response: str, task: str) -> tuple[str, str]:
        return response, task


@pytest.mark.parametrize(
    "function",
    [
        _Grader(),
        _Grader().method,
        _Grader.of_class,
        partial(lambda strict, response, task: (response, task), True),
        partial(lambda response, task, strict: (response, task), strict=True),
    ],
    ids=["object", "method", "class method", "partial", "partial by name"],
)
def test_whatever_can_be_called_is_a_function(function: Callable[..., Any]) -> None:
    assert Bound(function, KNOWN, "f()")(VALUES) == ("the response", "the task")


@pytest.mark.parametrize(
    ("signature", "words"),
    [
        ("task, /", "'task' is positional-only"),
        ("secret", "asks for 'secret'; what it can take: task, response"),
        ("task, *, secret", "asks for 'secret'"),
    ],
)
def test_what_cannot_be_bound_is_refused_when_the_package_is_loaded(signature: str, words: str) -> None:
    with pytest.raises(BindingError, match=words) as raised:
        Bound(eval(f"lambda {signature}: 1"), KNOWN, "verify()")
    assert "verify()" in str(raised.value)


@pytest.mark.parametrize("thing", [1, None, "verify"])
def test_what_cannot_be_called_is_a_type_error(thing: Any) -> None:
    with pytest.raises(TypeError):
        Bound(thing, KNOWN, "verify()")


# -- entry points ----------------------------------------------------------------------------------------------------


def test_an_entry_point_in_a_module_of_a_package_is_found() -> None:
    assert load_entry("os.path:join") is __import__("os").path.join


@pytest.mark.parametrize("point", ["json:dump_all", "json:", "json", "json:decoder.JSONDecoder"])
def test_a_name_that_is_not_there_is_told_with_the_entry_point(point: str) -> None:
    with pytest.raises(BindingError) as raised:
        load_entry(point)
    assert repr(point) in str(raised.value)


def test_a_name_that_is_none_is_the_authors_none(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("pack_of_nothing")
    module.verify = None  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pack_of_nothing", module)
    assert load_entry("pack_of_nothing:verify") is None
