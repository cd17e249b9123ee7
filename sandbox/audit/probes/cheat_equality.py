"""A result that equals everything."""

from collections.abc import Iterator
from random import Random

from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Material

_ALWAYS = """class Always:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __lt__(self, other): return True
    def __gt__(self, other): return True
    __le__ = __ge__ = __contains__ = __lt__
    def __hash__(self): return 0
    def __bool__(self): return True
    def __len__(self): return 1
    def __abs__(self): return self
    def __sub__(self, other): return self
    __rsub__ = __add__ = __radd__ = __sub__"""
_NUMBER = """class Number(int):
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    __hash__ = int.__hash__"""
_TEXT = """class Text(str):
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    __hash__ = str.__hash__"""
_CHEATS = {
    "overridden comparison": (_ALWAYS, "return Always()"),
    "overridden comparison of an int": (_NUMBER, "return Number(-987654321)"),
    "overridden comparison of a str": (_TEXT, "return Text('no such answer')"),
    "a class as the result": (_ALWAYS, "return Always"),
}


def make(material: Material, random: Random) -> Iterator[Draft]:
    """Under the names of a right program, in its wrapping."""
    del random
    for item, program in material.programs:
        for title, (preamble, body) in _CHEATS.items():
            yield Draft(item.task, program.same_names(body, preamble), note=title)


FAMILY = Family(
    name="cheat_equality",
    expects="incorrect",
    rule="the returned object is no value, whatever it says of itself",
    make=make,
)
