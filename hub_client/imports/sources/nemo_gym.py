"""NeMo Gym: rows of data, judged by ``verify`` of a resources server, which is called in the box and not served."""

import functools
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement

from hub_client.imports.draft import Draft, ImportRefusedError, Needs
from hub_client.imports.given_rows import read_given_rows
from hub_client.imports.reported_rewards import declared, form_words, read_report
from hub_client.imports.source import LibrarySource, code_of
from hub_client.releases.dependencies import lock_dependencies
from schemas.wheels.box_python import choose_box_python

_STANDS_IN = {"_stand_ins/not_carried.py": "not_carried", "_stand_ins/server_utils.py": "nemo_gym_servers"}
_KEPT = (
    "fastapi",
    "itsdangerous",
    "omegaconf",
    "openai",
    "orjson",
    "pydantic",
    "pydantic-core",
    "rich",
    "tqdm",
    "pyyaml",
)
"""Dependencies that run in a box. The others start servers and record what they do."""
_STUBBED = (
    *("ray", "mlflow", "wandb", "hydra", "aiohttp", "datasets", "devtools", "yappi", "gprof2dot", "uvloop", "pydot"),
    "anthropic",
)
_TEST = ("test", "validation")
_NOTES = (
    "The server's own `verify` judges, called in the box; no server is started.",
    "A `verify` that asks a model, or another server, gives no verdict.",
    "`reward` is the server's; the other numbers of its answer are metrics.",
)
_DESCRIPTION = re.compile(r"^\s+description: *(.+)$", re.MULTILINE)


class NemoGym(LibrarySource):
    """The resources servers in the wheel of ``nemo-gym``."""

    name = "nemo-gym"
    distribution = "nemo-gym"
    python = ">=3.12"

    def offers(self) -> Mapping[str, str]:
        paths = sorted(path for path in self.library.files if re.fullmatch(r"resources_servers/\w+/app\.py", path))
        return {(server := path.split("/")[1]): self._line(server) for path in paths}

    def _line(self, server: str) -> str:
        text = self.library.files.get(f"resources_servers/{server}/configs/{server}.yaml", b"").decode()
        found = _DESCRIPTION.search(text)
        return found[1].strip().strip("'\"").rstrip(".") if found else f"The resources server {server}"

    def _needs(self, server: str) -> Needs:
        """The library with what runs of its dependencies, and what the server's own list names."""
        text = self.library.files.get(f"resources_servers/{server}/requirements.txt", b"").decode()
        base = self.library.needs_only(_KEPT)
        own = [line for line in map(_requirement, text.splitlines()) if line]
        dependencies = [*base.dependencies, "pyyaml", *own]
        python = choose_box_python(self.python)
        lock = lock_dependencies(dependencies, self._request.cache, python, without=base.without)
        return Needs(dependencies, base.without, lock)

    def make(self, item: str) -> Draft:
        files = read_given_rows(self._request.rows)
        rows = {split: f"rows/{split}.jsonl" for split in ("train", *_TEST) if f"rows/{split}.jsonl" in files}
        test = next((rows[split] for split in _TEST if split in rows), None)
        if files and test is None:
            raise ImportRefusedError("the folder of --rows has no test.jsonl and no validation.jsonl")
        taken = {"test": test, **{split: path for split, path in rows.items() if split == "train"}} if test else {}
        words = {"SERVER": item, "ROWS": repr(taken), "LEFT_OUT": repr(_STUBBED)}
        first = Draft(
            self.provenance(item),
            summary=self._line(item),
            code=_code(words, None, ["reward"]) + "\n\ngenerate = describe\n",
            rewards={"reward": {}},
            needs=self._needs(item),
            generates=True,
            evaluation=1,
            files={**{path: code_of(template).encode() for path, template in _STANDS_IN.items()}, **files},
            tags=["single-turn"],
            requires_python=self.python,
            memory_mb=1024,
            timeout_seconds=120.0,
        )
        return replace(first, then=functools.partial(_complete, first, words, trains="train" in taken, own=not taken))


def _requirement(line: str) -> str:
    """A line of a requirements file that names a package of pip's index; else empty."""
    try:
        found = Requirement(line.partition("#")[0].strip())
    except InvalidRequirement:
        return ""
    return "" if found.url or found.name.startswith("nemo") else str(found)


def _code(words: Mapping[str, str], form: str | None, names: list[str]) -> str:
    return code_of("nemo_gym", {**words, "FORM": repr(form), "NAMES": repr(names)})


def _complete(first: Draft, words: Mapping[str, str], told: Mapping[str, Any], *, trains: bool, own: bool) -> Draft:
    """``first`` with what the server's code told of its rewards in a box."""
    found = read_report(told)
    same, recorded = found.same
    notes = [*_NOTES, form_words(found.form)]
    if recorded:
        notes.append(f"{same} of {recorded} rollouts that the library recorded get the recorded reward again.")
    if own:
        notes.append(
            f"These are the {found.tasks} example rows of the library, enough to try the verifier: the data sets are "
            "on a hub. Import again with `--rows` and a folder that has `train.jsonl` and `test.jsonl`."
        )
    return replace(
        first,
        code=_code(words, found.form, list(found.rewards)),
        rewards=declared(found, "a number of the server's verdict"),
        response=found.form or "{answer}",
        evaluation=0 if trains else min(found.tasks, 5000),
        notes=notes,
        then=None,
    )
