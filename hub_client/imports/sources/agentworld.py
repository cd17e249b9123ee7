"""The question packs of ``agentworld``: a pack's questions and the library's check of an answer."""

import json
import re
from collections.abc import Mapping
from typing import Any

from hub_client.imports.draft import Draft, ImportRefusedError, Provenance
from hub_client.imports.source import LibrarySource, code_of

_ASK = "\n\nGive your final answer between <answer> and </answer> tags."
_LICENCES = {"MIT": "MIT", "CC BY-SA 4.0": "CC-BY-SA-4.0"}
"""As a pack says it -> SPDX."""
_ANSWERS = {"numeric": "value", "exact_match": "text"}
"""The library's check -> where a question has its answer."""
_LINE = re.compile(r"^(\w+): (\S.*)$", re.MULTILINE)
_WORLD = "its agents move at the same time and over a connection; the packs of questions are offered"


class AgentWorld(LibrarySource):
    """One package a pack, and no split to train on: packs are drawn from the test splits of known benchmarks."""

    name = "agentworld"
    distribution = "agentworld"

    def offers(self) -> Mapping[str, str]:
        return {**{name: pack["title"] for name, pack in self._packs().items()}, "world": "errands in a house"}

    def make(self, item: str) -> Draft:
        if item == "world":
            raise ImportRefusedError(_WORLD)
        pack = self._packs()[item]
        if pack["license"] not in _LICENCES or pack["verifier"] not in _ANSWERS:
            raise ImportRefusedError(f"its licence ({pack['license']}) or its check ({pack['verifier']}) is not known")
        rows = self.library.files[f"agentworld/packs/{item}/{pack['items_file']}"].decode().splitlines()
        origin = self.provenance(item)
        return Draft(
            Provenance(origin.source, origin.version, _LICENCES[pack["license"]]),
            summary=f"{pack['title']}, from {pack['source']}",
            code=code_of("agentworld"),
            rewards={"correct": {"description": "the library's check of the answer", "threshold": 1.0}},
            needs=self.library.needs(self.library.imports("agentworld.packs") - {"mlx_lm"}),
            splits={"test": [_task(json.loads(row), _ANSWERS[pack["verifier"]]) for row in rows]},
            response="<answer>{answer}</answer>",
            one_right_answer=True,
            tags=["question-answering", item.replace("_", "-"), "single-turn"],
            notes=["Its questions are of a known benchmark's test or validation rows, so there is no split `train`."],
        )

    def _packs(self) -> dict[str, dict[str, str]]:
        """Name -> the lines ``key: value`` of its ``pack.yaml``."""
        files = {path.split("/")[-2]: data for path, data in self.library.files.items() if path.endswith("/pack.yaml")}
        return {name: dict(_LINE.findall(data.decode())) for name, data in sorted(files.items())}


def _task(row: Mapping[str, Any], key: str) -> dict[str, Any]:
    answer = row["answer_spec"][key]
    text = f"{answer:.15g}" if isinstance(answer, float) else str(answer)
    return {"id": row["id"], "prompt": row["prompt"] + _ASK, "answer": text, "info": {"spec": row["answer_spec"]}}
