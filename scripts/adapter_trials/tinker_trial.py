"""tinker-cookbook against a live hub and real boxes: its own rollout loop over words, a game and tools of a session.

The Tinker service is not here. What a model would sample is fixed; renderer, tokens, rollout and rewards are real.
"""

import asyncio
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tinker_cookbook.completers import TokenCompleter, TokensWithLogprobs
from tinker_cookbook.renderers import get_renderer
from tinker_cookbook.rl.message_env import EnvFromMessageEnv
from tinker_cookbook.rl.rollouts import do_single_rollout
from transformers import AutoTokenizer

from hub_client import Hub
from hub_client.adapters.tinker import HubMessageEnv
from hub_client.settings import ClientSettings
from trainer_bridge.models.smollm2 import smollm2_folder


class Fixed(TokenCompleter):  # type: ignore[misc]
    """Writes the words one after another."""

    def __init__(self, tokenizer: Any, words: list[str]) -> None:
        self._tokenizer, self._words = tokenizer, iter(words)

    async def __call__(self, model_input: Any, stop: Any, *, max_tokens: int | None = None) -> TokensWithLogprobs:
        """The next words, as tokens that end a message."""
        del model_input, stop, max_tokens
        ids = self._tokenizer.encode(next(self._words) + "<|im_end|>", add_special_tokens=False)
        return TokensWithLogprobs(tokens=ids, maybe_logprobs=[-0.1] * len(ids))


def play(hub: Hub, tokenizer: Any, target: str, words: Callable[[dict[str, Any]], list[str]]) -> Any:
    """The transitions of one episode at the first training task."""
    env = hub.environment(target)
    task = env.task_list("train", limit=1)[0]
    said = words(task)
    messages = HubMessageEnv(env, task, max_turns=len(said))
    adapter = EnvFromMessageEnv(get_renderer("qwen3_instruct", tokenizer), messages)
    steps = asyncio.run(do_single_rollout(Fixed(tokenizer, said), adapter)).transitions
    print(target, len(steps), "steps, reward", steps[-1].reward, steps[-1].metrics)
    return steps


def main() -> None:
    """A wrong sum, a game that is won at the second guess, and a call of a tool."""
    cache = ClientSettings.load().cache_dir / "models"
    tokenizer = AutoTokenizer.from_pretrained(Path(sys.argv[1]) if len(sys.argv) > 1 else smollm2_folder(cache, print))
    with Hub() as hub:
        [sums] = play(hub, tokenizer, "lecture/change-making", lambda _: ["no idea"])
        if sums.reward != 0.0:
            raise SystemExit("a wrong answer was rewarded")
        game = play(hub, tokenizer, "lecture/wordle", lambda task: ["crane", str(task["answer"])])
        if len(game) != 2 or game[-1].metrics["solved"] != 1.0 or not game[-1].episode_done:
            raise SystemExit("the right word was not taken")
        call = json.dumps({"name": "search", "arguments": {"words": "meeting"}})
        words = [f"<tool_call>\n{call}\n</tool_call>", "It is not in the mailbox."]
        mail = play(hub, tokenizer, "lecture/mail-assistant", lambda _: words)
        if len(mail) != 2 or mail[-1].metrics["calls"] != 1.0:
            raise SystemExit("the session's own tool was not called")


if __name__ == "__main__":
    main()
