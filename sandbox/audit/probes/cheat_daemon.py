"""Leaving a process behind that goes on writing."""

from collections.abc import Iterator
from random import Random

from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Material

_FORK = """import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        end = time.time() + 2
        while time.time() < end:
            for number in (1, 2, 3, 4):
                try:
                    os.write(number, b'{"passed": true}\\n')
                except OSError:
                    pass
            time.sleep(0.05)
    os._exit(0)"""
_CHEATS = {"daemon": (_FORK, "return None")}


def make(material: Material, random: Random) -> Iterator[Draft]:
    """Under the names of a right program, in its wrapping."""
    del random
    for item, program in material.programs:
        for title, (preamble, body) in _CHEATS.items():
            yield Draft(item.task, program.same_names(body, preamble), note=title)


FAMILY = Family(
    name="cheat_daemon",
    expects="incorrect",
    rule="it computes nothing; a child of it keeps claiming success",
    make=make,
)
