"""Forms of an answer. Equal JSON values are right: members of an object have no order, those of a list have one."""

import copy
import json
from collections.abc import Callable


def _text(value: object, **how: object) -> str:
    return json.dumps(value, **({"ensure_ascii": False} | how))


def _turned(value: object) -> object:
    """Every object with its members in reverse."""
    if isinstance(value, dict):
        return {name: _turned(one) for name, one in reversed(value.items())}
    return [_turned(one) for one in value] if isinstance(value, list) else value


def _sorted_inside(one: dict) -> str:
    """The outer order kept, the inner objects turned."""
    return _text({name: _turned(value) for name, value in one.items()})


RIGHT: dict[str, Callable[[dict], str]] = {
    "same": _text,
    "indented": lambda one: _text(one, indent=2),
    "tabs": lambda one: _text(one, indent="\t"),
    "no-spaces": lambda one: _text(one, separators=(",", ":")),
    "keys-turned": lambda one: _text(_turned(one)),
    "keys-sorted": lambda one: _text(one, sort_keys=True),
    "keys-turned-inside": _sorted_inside,
    "escaped": lambda one: _text(one, ensure_ascii=True),
    "spaces-around": lambda one: f"\n  {_text(one)}\n",
    "fenced": lambda one: f"```json\n{_text(one, indent=2)}\n```",
}


def _places(value: object, kind: type, path: tuple = ()) -> list[tuple]:
    """The ways to every value of this type, a truth value being no number."""
    if isinstance(value, dict):
        return [way for name, one in value.items() for way in _places(one, kind, (*path, name))]
    if isinstance(value, list):
        return [way for place, one in enumerate(value) for way in _places(one, kind, (*path, place))]
    return [path] if type(value) is kind else []


def _changed(one: dict, way: tuple, change: Callable) -> dict:
    found = copy.deepcopy(one)
    held = found
    for name in way[:-1]:
        held = held[name]
    held[way[-1]] = change(held[way[-1]])
    return found


def _at(kind: type, change: Callable, *, last: bool = False) -> Callable[[dict], str]:
    """Changes the first or last value of a type; a whole number where there is no such one."""

    def write(one: dict) -> str:
        ways = _places(one, kind) or _places(one, float)
        return _text(_changed(one, ways[-1 if last else 0], change))

    return write


def _list_of(one: dict) -> str:
    return next(name for name, value in one.items() if isinstance(value, list))


def _with_list(change: Callable) -> Callable[[dict], str]:
    return lambda one: _text({**one, _list_of(one): change(one[_list_of(one)])})


def _turned_list(values: list) -> list:
    turned = values[::-1]
    return turned if turned != values else [*values[1:], values[0], values[0]]


def _doubled_key(one: dict) -> str:
    """A truth value told twice, the wrong one last: whichever counts, one is not what was said."""
    (way, *_) = _places(one, bool)
    return _text(one)[:-1] + f", {json.dumps(way[-1])}: {json.dumps(not one[way[-1]])}}}"


WRONG: dict[str, Callable[[dict], str]] = {
    "other-number": _at(int, lambda value: value + 1),
    "other-number-inside": _at(int, lambda value: value + 10, last=True),
    "other-text": _at(str, lambda value: value[::-1] + "x"),
    "other-text-inside": _at(str, lambda _value: "Tomas Weber", last=True),
    "number-as-text": _at(int, str),
    "truth-as-number": _at(bool, int),
    "truth-as-text": _at(bool, lambda value: str(value).lower()),
    "truth-turned": _at(bool, lambda value: not value),
    "null-for-value": _at(str, lambda _value: None),
    "key-missing": lambda one: _text(dict(list(one.items())[:-1])),
    "key-missing-first": lambda one: _text(dict(list(one.items())[1:])),
    "key-added": lambda one: _text({**one, "note": "checked"}),
    "key-renamed": lambda one: _text(
        {(f"{name}s" if n == 0 else name): value for n, (name, value) in enumerate(one.items())}
    ),
    "list-turned": _with_list(_turned_list),
    "list-shorter": _with_list(lambda values: values[:-1]),
    "list-longer": _with_list(lambda values: [*values, values[0]]),
    "list-empty": _with_list(lambda _values: []),
    "in-a-list": lambda one: _text([one]),
    "wrapped": lambda one: _text({"record": one}),
    "doubled-key": _doubled_key,
    "cut-off": lambda one: _text(one)[:-4],
    "single-quotes": lambda one: str(one).replace('"', "'"),
    "empty-object": lambda _one: "{}",
    "no-text": lambda _one: "",
    "schema-again": lambda one: _text({"type": "object", "properties": {name: {"type": "string"} for name in one}}),
}
