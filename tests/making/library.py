"""A small library in the shape of reasoning-gym, as a wheel: what the real one does, without pip and without a network."""

import hashlib
from collections.abc import Mapping

from hub_client.releases.cache import Cache
from schemas.wheels.box_python import DEFAULT_PYTHON
from schemas.wheels.requirements import LockedRequirement
from tests.making.wheel import with_record, zip_files

_LEGS = '''
"""Leg counting tasks.

More words.
"""
from random import Random

import small_yaml

from ..factory import ProceduralDataset, register_dataset

DATASET_NAME = "leg_counting"


class Legs(ProceduralDataset):
    def __getitem__(self, idx):
        dogs = Random(self.seed + idx).randint(1, 900)
        return {"question": f"Legs of {dogs} dogs?", "answer": str(4 * dogs), "metadata": {"range": (1, 900), "legs": {4: "dog"}}}


register_dataset(DATASET_NAME, Legs)
'''
_STRICT = '''
"""Halves of a number."""
from reasoning_gym.factory import ProceduralDataset, register_dataset


class Halves(ProceduralDataset):
    def __getitem__(self, idx):
        return {"question": f"Half of {2 * idx}?", "answer": str(idx), "metadata": {}}

    def score_answer(self, answer, entry):
        return float(int(answer) == int(entry["answer"]))


register_dataset("halves", Halves)
'''
FILES = {
    "reasoning_gym/__init__.py": "raise ImportError('the library is not imported as a whole')\n",
    "reasoning_gym/factory.py": (
        "DATASETS = {}\n\n\n"
        "class ProceduralDataset:\n"
        "    def __init__(self, seed, size):\n        self.seed, self.size = seed, size\n\n"
        "    def __len__(self):\n        return self.size\n\n"
        "    def score_answer(self, answer, entry):\n"
        "        assert entry['metadata'] in ({}, {'range': (1, 900), 'legs': {4: 'dog'}}), entry\n"
        "        return 1.0 if answer == entry['answer'] else 0.25 * (entry['answer'] in answer)\n\n\n"
        "def register_dataset(name, kind):\n    DATASETS[name] = kind\n\n\n"
        "def create_dataset(name, seed, size):\n    return DATASETS[name](seed, size)\n"
    ),
    "reasoning_gym/coaching/__init__.py": "from small_yaml import load\n",
    "reasoning_gym/arithmetic/__init__.py": "raise ImportError('nor is a category')\n",
    "reasoning_gym/arithmetic/legs.py": _LEGS,
    "reasoning_gym/arithmetic/halves.py": _STRICT,
    "reasoning_gym/logic/__init__.py": "",
    "reasoning_gym/logic/zebra.py": (
        '"""Zebra puzzles."""\nfrom reasoning_gym.factory import register_dataset\n\n\n'
        "def solve():\n    import c_parser\n\n\nregister_dataset('zebra', None)\n"
    ),
    "reasoning_gym/composite.py": "def register_dataset(*_):\n    pass\n\n\nregister_dataset('composite', None)\n",
}
_METADATA = """\
Metadata-Version: 2.4
Name: {name}
Version: {version}
License-Expression: Apache-2.0
Project-URL: Homepage, https://example.org/{name}
"""


def plain_wheel(name: str, version: str, files: Mapping[str, str], requires: tuple[str, ...] = ()) -> bytes:
    """A wheel of any library, with a true RECORD."""
    info = f"{name.replace('-', '_')}-{version}.dist-info"
    metadata = _METADATA.format(name=name, version=version) + "".join(f"Requires-Dist: {text}\n" for text in requires)
    inside = {
        **files,
        f"{info}/METADATA": metadata,
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: by hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    return zip_files(with_record({path: text.encode() for path, text in inside.items()}))


def keep(cache: Cache, name: str, version: str, data: bytes) -> LockedRequirement:
    """Put a wheel into the cache, as pip's answer; its lock."""
    digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
    cache.add_wheel(digest, f"{name.replace('-', '_')}-{version}-py3-none-any.whl", [data])
    return LockedRequirement(name=name, version=version, digests=(digest,))


class Index:
    """pip's index in a test: reasoning-gym, what it needs, and one thing that no box can build."""

    def __init__(self, monkeypatch) -> None:
        self.version, self.files = "0.9.1", dict(FILES)
        self.asked: list[str] = []
        monkeypatch.setattr("hub_client.imports.library.lock_alone", self.lock_alone)
        monkeypatch.setattr("hub_client.imports.library.lock_what_can_be_built", self.lock_all)

    def lock_alone(self, requirement: str, cache: Cache, _python: str = DEFAULT_PYTHON) -> LockedRequirement:
        self.asked.append(requirement)
        needs = ("small-yaml>=1", "c-parser==2.1", "unused-thing", "cli-thing; extra == 'cli'")
        return keep(cache, "reasoning-gym", self.version, plain_wheel("reasoning-gym", self.version, self.files, needs))

    def lock_all(
        self, dependencies: list[str], cache: Cache, _python: str
    ) -> tuple[list[LockedRequirement], dict[str, str]]:
        self.asked += dependencies
        yaml = plain_wheel(
            "small-yaml", "1.2", {"small_yaml.py": "import inner_parts\n\n\ndef load():\n    pass\n"}, ("inner-parts",)
        )
        parts = plain_wheel("inner-parts", "3.0", {"inner_parts/__init__.py": ""})
        unused = plain_wheel("unused-thing", "5.0", {"unused_thing.py": ""}, ("other-thing",))
        found = [
            self.lock_alone("reasoning-gym", cache),
            keep(cache, "small-yaml", "1.2", yaml),
            keep(cache, "inner-parts", "3.0", parts),
            keep(cache, "unused-thing", "5.0", unused),
        ]
        return found, {"c-parser": "c-parser 2.1 has C extensions and no wheel for the box"}
