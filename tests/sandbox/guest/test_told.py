"""Functions in the place of some that are written in C, tried on a module and a type of their own."""

import array
import inspect
import os
import pickle
import subprocess
import sys
import time
import types
import typing
from pathlib import Path

from sandbox.guest.told import Told


def test_it_is_what_the_module_has_and_is_bound_to_no_instance(monkeypatch) -> None:
    module = types.ModuleType("made_for_told")
    monkeypatch.setitem(sys.modules, "made_for_told", module)
    module.twice = len
    told = Told(module, "twice", lambda number: number * 2)
    holder = type("Holder", (), {"twice": told})
    assert module.twice is told
    assert holder().twice(4) == 8
    assert pickle.loads(pickle.dumps(told)) is told
    assert (told.__name__, told.__module__) == ("twice", "made_for_told")


def test_it_says_of_itself_what_the_one_before_said(monkeypatch) -> None:
    module = types.ModuleType("made_for_told")
    monkeypatch.setitem(sys.modules, "made_for_told", module)
    module.join = os.path.join
    module.clock = time.time
    told, clock = Told(module, "join", lambda *parts: "told"), Told(module, "clock", lambda: 5.0)
    assert inspect.signature(told) == inspect.signature(os.path.join)
    assert list(inspect.signature(clock).parameters) in ([], ["given", "named"]), "as far as C says it"
    assert (told.__doc__, told.__self__) == (os.path.join.__doc__, module)
    assert typing.get_type_hints(told) == {}
    assert repr(clock) == "<built-in function clock>"
    assert (told("a", "b"), clock()) == ("told", 5.0)


def test_a_member_of_a_type_in_c_is_another_for_all_who_use_it() -> None:
    """In a process of its own: nothing takes it back."""
    code = """
import array, pickle
from sandbox.guest.told import set_on_type
kept = array.array
class Own(array.array): pass
old = Own("i").tolist
set_on_type(kept, "tolist", lambda self: ["told"])
set_on_type(kept, "made", classmethod(lambda kind: kind.__name__))
print(array.array("i", [1]).tolist(), Own("i").tolist(), Own.made(), kept.made.__name__, kept.tolist.__qualname__)
print(pickle.loads(pickle.dumps(kept.made))())
"""
    root = Path(__file__).parents[3]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    assert done.stdout.splitlines() == ["['told'] ['told'] Own made array.tolist", "array"]
    assert array.array("i", [1]).tolist() == [1]
