"""verl against a live hub and real boxes: its agent loop over a game and a session's tools, and its reward loop.

No inference server runs here: what a model would sample is fixed. Tokens, masks, parser and rewards are real.
"""

import asyncio
import json
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from omegaconf import OmegaConf
from transformers import AutoTokenizer
from verl import DataProto
from verl.experimental.agent_loop.agent_loop import AgentLoopOutput, DictConfigWrap
from verl.experimental.reward_loop.reward_manager import get_reward_manager_cls
from verl.workers.rollout.replica import TokenOutput

from hub_client import Hub
from hub_client.adapters.verl import compute_score_async, dataset_rows
from hub_client.adapters.verl_agent_loop import HubAgentLoop
from hub_client.settings import ClientSettings
from trainer_bridge.models.smollm2 import smollm2_folder

TEMPLATE = (
    "{% if tools %}<|im_start|>system\n{{ tools | tojson }}<|im_end|>\n{% endif %}"
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}"
    "{% for call in message.tool_calls or [] %}<tool_call>{{ call.function | tojson }}</tool_call>{% endfor %}"
    "<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
"""SmolLM2's own template leaves tools out."""


class Server:
    """Writes fixed words, as verl's inference server gives them."""

    def __init__(self, tokenizer: Any, words: list[str]) -> None:
        self._tokenizer, self._words = tokenizer, iter(words)

    async def generate(self, *, prompt_ids: list[int], **_: Any) -> TokenOutput:
        """The next words."""
        del prompt_ids
        ids = self._tokenizer.encode(next(self._words) + "<|im_end|>", add_special_tokens=False)
        return TokenOutput(token_ids=ids, log_probs=[-0.1] * len(ids))


def play(hub: Hub, tokenizer: Any, target: str, words: Callable[[dict[str, Any]], list[str]]) -> AgentLoopOutput:
    """One episode at the first training task."""
    env = hub.environment(target)
    row = dataset_rows(env, "train", limit=1, agent="verihub")[0]
    said = words(env.task_list("train", limit=1)[0])
    rollout = {
        "prompt_length": 4096, "response_length": 4096,
        "multi_turn": {"format": "hermes", "max_assistant_turns": len(said)},
    }  # fmt: skip
    config = OmegaConf.create({"actor_rollout_ref": {"rollout": rollout}, "data": {}})

    async def run() -> Any:
        loop = HubAgentLoop(
            trainer_config=DictConfigWrap(config), server_manager=Server(tokenizer, said), tokenizer=tokenizer,
            processor=None, dataset_cls=None, data_config=DictConfigWrap(config.data),
            hf_model_type=None, tools=None,
        )  # fmt: skip
        return await loop.run({"temperature": 1.0}, raw_prompt=row["prompt"], extra_info=row["extra_info"])

    output = asyncio.run(run())
    told = output.extra_fields["reward_extra_info"]
    print(target, output.num_turns, "messages, score", output.reward_score, told, sum(output.response_mask), "tokens")
    return output


def judge(hub: Hub, tokenizer: Any, response: str) -> dict[str, Any]:
    """What verl's own reward loop makes of a response to a single-turn task."""
    row = dataset_rows(hub.environment("lecture/change-making"), "train", limit=1)[0]
    ids = torch.tensor([tokenizer.encode(response, add_special_tokens=False)])
    kept = {name: np.array([row[name]], dtype=object) for name in ("data_source", "reward_model", "extra_info")}
    data = DataProto.from_dict(
        tensors={"prompts": torch.zeros(1, 2, dtype=torch.long), "responses": ids,
                 "attention_mask": torch.ones(1, 2 + ids.shape[1], dtype=torch.long)},
        non_tensors=kept,
    )  # fmt: skip

    async def run() -> Any:  # the manager keeps the loop in which it was made
        return await get_reward_manager_cls("naive")({}, tokenizer, compute_score_async).run_single(data)

    found: dict[str, Any] = asyncio.run(run())
    print("reward loop:", found)
    return found


def main() -> None:
    """A game won at the second guess, a call of a tool, and a wrong sum."""
    cache = ClientSettings.load().cache_dir / "models"
    tokenizer = AutoTokenizer.from_pretrained(Path(sys.argv[1]) if len(sys.argv) > 1 else smollm2_folder(cache, print))
    tokenizer.chat_template = TEMPLATE
    with Hub() as hub:
        game = play(hub, tokenizer, "lecture/wordle", lambda task: ["crane", str(task["answer"])])
        if game.extra_fields["reward_extra_info"]["solved"] != 1.0 or not 0 < sum(game.response_mask) < len(
            game.response_mask
        ):
            raise SystemExit("the right word was not taken, or what the game said counts as the policy's")
        call = json.dumps({"name": "search", "arguments": {"words": "meeting"}})
        words = [f"<tool_call>\n{call}\n</tool_call>", "It is not in the mailbox."]
        mail = play(hub, tokenizer, "lecture/mail-assistant", lambda _: words)
        if mail.extra_fields["reward_extra_info"]["calls"] != 1.0:
            raise SystemExit("the session's own tool was not called")
        found = judge(hub, tokenizer, "no idea")
        if found["reward_score"] != 0.0 or math.isnan(found["reward_extra_info"]["correct"]):
            raise SystemExit("a wrong answer was rewarded, or not judged")


if __name__ == "__main__":
    main()
