"""The answer in a sealed form, in its place: its digest, or the text in Base64."""

import hashlib
from base64 import b64encode
from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Material

_SEALS: dict[str, Callable[[bytes], str]] = {
    "SHA-256": lambda data: hashlib.sha256(data).hexdigest(),
    "SHA-1": lambda data: hashlib.sha1(data, usedforsecurity=False).hexdigest(),
    "MD5": lambda data: hashlib.md5(data, usedforsecurity=False).hexdigest(),
    "Base64": lambda data: b64encode(data).decode(),
}


def make(material: Material, random: Random) -> Iterator[Draft]:
    """Only where the answer decides, and its letters do not stand in the sealed form by chance."""
    del random
    for task in material.tasks_for_wrong_text() if material.answer_decides else ():
        answer = str(task["answer"]).strip()
        for way, seal in _SEALS.items():
            said = seal(answer.encode())
            if answer.casefold() not in said.casefold():
                yield replace(material.say(task, said), way=way)


FAMILY = Family(
    name="leak_digest",
    expects="incorrect",
    rule="a digest of the answer, or its Base64, is not the answer",
    make=make,
)
