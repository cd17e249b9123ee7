"""Environments as NeMo Gym rows, and their verifiers as the ``verify`` of a NeMo Gym resources server.

Rows for a data set's JSONL are ``dataset_rows(env, limit=1000)``. The server is one file,
``resources_servers/verihub/app.py``::

    from hub_client.adapters.nemo_gym_server import VerihubResourcesServer

    if __name__ == "__main__":
        VerihubResourcesServer.run_webserver()

It judges by the release that a row names. The answer is ``reward`` (the weighted sum), ``reward_components``, and every
component again as a field of its own, which is what NeMo Gym's metrics read. Unjudged rewards are left out of the
components. NeMo Gym needs a number, so if nothing was judged the request fails: the rollout is then a failure that can
be tried again, and not a 0.
"""

import json
from collections.abc import Callable
from typing import Any

from hub_client.adapters.episodes import judge_record
from hub_client.environments import Environment, Verifier
from hub_client.errors import CheckFailedError, UsageError
from schemas.task import Task

TASK_KEY = "verihub_task"
"""In ``verifier_metadata``: the whole task, answer included."""
REFERENCE_KEY = "verihub_reference"
"""In ``verifier_metadata``: ``owner/name@sha256:…``, the release that judges it."""


def dataset_rows(
    env: Environment, split: str = "train", *, seed: int = 0, start: int = 0, limit: int | None = None
) -> list[dict[str, Any]]:
    """Rows with ``responses_create_params`` for the model and ``verifier_metadata`` for the server.

    Raises CheckFailedError for a session, whose turns NeMo Gym's agents would have to drive, and UsageError for a
    generated split without ``limit``: its tasks have no end.
    """
    if env.manifest.session is not None:
        raise CheckFailedError(f"{env.package.reference} is a session, which NeMo Gym's agents cannot play")
    return [
        {
            "responses_create_params": {"input": Task.model_validate(row).messages()},
            "verifier_metadata": {TASK_KEY: row, REFERENCE_KEY: f"{env.manifest.id}@{env.digest}"},
        }
        for row in env.task_list(split, seed=seed, start=start, limit=limit)
    ]


async def judge(body: dict[str, Any], open_verifier: Callable[[str], Verifier]) -> dict[str, Any]:
    """The fields that are added to a ``/verify`` request to make its response.

    Raises UsageError for rows that were not made by :func:`dataset_rows`, CheckFailedError if nothing could be judged.
    """
    metadata = body.get("verifier_metadata") or {}
    if TASK_KEY not in metadata or REFERENCE_KEY not in metadata:
        raise UsageError("the row names no task of the hub in its verifier_metadata: make rows with dataset_rows(env)")
    verifier = open_verifier(metadata[REFERENCE_KEY])
    verdict = await judge_record(verifier, metadata[TASK_KEY], {"response": last_words(body["response"])})
    total = verdict.weighted_sum(verifier.rewards)
    if total is None:
        reason = f"{verdict.error.kind}: {verdict.error.message}" if verdict.error else "the verifier said null"
        raise CheckFailedError(f"{metadata[REFERENCE_KEY]} could not judge this response ({reason})")
    components = {name: value for name, value in verdict.rewards.items() if value is not None}
    taken = {*body, "reward", "reward_components", "verihub_info"}
    fields = {f"{name}_reward" if name in taken else name: value for name, value in components.items()}
    return {**fields, "reward": total, "reward_components": components, "verihub_info": json.dumps(verdict.info)}


def last_words(response: dict[str, Any]) -> str:
    """The text of the last assistant message of an OpenAI Response."""
    messages = [item for item in response.get("output") or [] if item.get("type") == "message"]
    content = messages[-1].get("content") if messages else ""
    if isinstance(content, str):
        return content
    return "".join(part.get("text") or "" for part in content or [] if part.get("type") == "output_text")
