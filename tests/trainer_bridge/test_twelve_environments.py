"""The twelve environments of the collection under the trainer: a step on each, in all turns, with a tiny random model.

Sessions and verifiers run in this process, as a box would run them. That a box does so is test_real_client.py's subject.
"""

import json
import math
from itertools import islice
from typing import Any

import pytest

from hub_client.errors import CheckFailedError
from schemas.measures.weighted_sum import weighted_sum
from schemas.verdict import Verdict
from tests.collection.conftest import PROJECTS, Project, imported
from tests.trainer_bridge.conftest import FakeEnvironment, FakeHub
from tests.trainer_bridge.sessions_in_memory import Runner
from trainer_bridge.loop import train
from trainer_bridge.models.tiny import tiny_model, tiny_tokenizer

TWELVE = {
    "mail-assistant": {3}, "sql-questions": {1, 2, 3}, "instructions": {1}, "function-calls": {1, 2, 3}, "grid-rules": {3},
    "json-shape": {1}, "service-desk": {3}, "connections": {3}, "honest-headline": {1}, "cited-search": {3},
    "tools-under-attack": {3}, "table-questions": {3},
}  # fmt: skip
"""How many turns a model has that calls no tool, at most the three that it is given here."""
WRITTEN = 6
"""Tokens of an answer."""


@pytest.fixture(scope="module")
def tiny_folder(tmp_path_factory):
    """The tiny model with a longer context: it reads a letter a token, and some prompts are longer than its 4,096."""
    folder, tokenizer = tmp_path_factory.mktemp("tiny"), tiny_tokenizer()
    model = tiny_model(tokenizer)
    model.config.max_position_embeddings = 32_768
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


class OfTheCollection(FakeEnvironment):
    """A project of the collection: its own tasks, session and verifier."""

    def __init__(self, project: Project, package: Any) -> None:
        super().__init__(name=project.manifest.id, rewards=project.manifest.rewards)
        self.manifest, self.package, self._module = project.manifest, None, package
        self._rows = project.rows("validation.jsonl")[:12]
        self.judged: list[tuple[Any, dict[str, float]]] = []

    def tasks(self, split, *, seed=0, start=0, limit=None):
        del seed
        yield from ({**row, "split": split} for row in islice(self._rows, start, start + limit if limit else None))

    async def score_stream(self, pairs):
        index = 0
        async for task, request in pairs:
            given = request if isinstance(request, str) else request.state or request.response
            got = self._module.verify(dict(task), json.loads(json.dumps(given)))
            self.judged.append((given, got))
            yield index, Verdict(rewards=got)
            index += 1


class Playing:
    """A session of the package, as a sandbox hands it out."""

    def __init__(self, made: Any, task: dict[str, Any], seed: int) -> None:
        self._made, self._task, self._seed = made, task, seed
        self.step, self.state = made.step, made.state

    def reset(self) -> dict[str, Any]:
        return self._made.reset(dict(self._task), self._seed)

    def call_tool(self, name: str, arguments: dict[str, Any]) -> Any:
        raise CheckFailedError(f"the session has its tools itself, and none is {name}: {arguments}")


@pytest.mark.parametrize("name", TWELVE)
def test_a_step_is_made_and_says_what_was_judged(name, tiny_folder, make_settings, monkeypatch):
    project = PROJECTS[name]
    with imported(project) as package:
        environment = OfTheCollection(project, package)
        hub = FakeHub(environment)
        played = Runner(lambda task, seed: Playing(package.Session(), task, seed))
        monkeypatch.setattr(hub, "runner", lambda: played)
        settings = make_settings(
            targets=(project.manifest.id,), model=tiny_folder, steps=1, eval_tasks=0, recipe="dr_grpo",
            prompts_per_step=1, num_generations=2, max_completion_length=WRITTEN, max_turns=3,
        )  # fmt: skip
        train(settings, hub=hub)
    [metrics] = [point.values for point in hub.runs.points if point.step == 1]
    declared = project.manifest.rewards
    assert len(environment.judged) == metrics["num_completions"] == 2
    sums = [weighted_sum(got, declared) for _, got in environment.judged]
    assert metrics["reward"] == pytest.approx(sum(sums) / 2), "gates close it, and metrics are no part of it"
    for reward in declared:
        assert metrics[f"rewards/{reward}/unjudged"] == 0
        assert metrics[f"rewards/{reward}/mean"] == pytest.approx(sum(got[reward] for _, got in environment.judged) / 2)
    turns = metrics["rollout/turns"]
    assert min(TWELVE[name]) <= turns <= max(TWELVE[name])
    assert metrics["mismatch_kl/mean"] < 1e-6, "what is learnt from is what was written, token by token"
    assert turns <= metrics["completions/mean_length"] <= WRITTEN * turns, "the environment's words are not the model's"
    assert all(math.isfinite(metrics[name]) for name in ("loss", "grad_norm", "entropy"))
    if project.manifest.session:
        assert len(played.opened) == played.closed == 2
