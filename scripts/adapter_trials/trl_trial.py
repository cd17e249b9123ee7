"""TRL against a live hub and real boxes: two real steps of GRPO, each rollout a session of its own.

The policy is a tiny model with random weights, which would call no tool: what it writes is fixed here, so that rollouts
differ and reach the session's tools. Sampling apart, everything is TRL's: the loop of tools, masks, advantages, loss.
"""

import json
import re
import sys
import tempfile
from importlib.resources import files
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset  # type: ignore[import-not-found]
from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM
from trl import GRPOConfig, GRPOTrainer

from hub_client import Hub
from hub_client.adapters.trl import reward_weights
from hub_client.adapters.trl_sessions import environment_factory, reward_functions, session_rows
from hub_client.settings import ClientSettings
from trainer_bridge.models.smollm2 import smollm2_folder


class Fixed(LlamaForCausalLM):  # type: ignore[misc]
    """Writes what ``say`` returns for the decoded prompt and the row's number."""

    say: Any
    tokenizer: Any

    def generate(self, input_ids: Any = None, **_: Any) -> Any:
        """Prompts with what was said behind them, padded on the right."""
        texts = [self.say(self.tokenizer.decode(row), number) + "<|im_end|>" for number, row in enumerate(input_ids)]
        made = [self.tokenizer.encode(text, add_special_tokens=False) for text in texts]
        width = max(map(len, made))
        filled = torch.full((len(made), width), self.tokenizer.pad_token_id)
        for row, ids in zip(filled, made, strict=True):
            row[: len(ids)] = torch.tensor(ids)
        return torch.cat([input_ids, filled], dim=1)


def call(name: str, **arguments: Any) -> str:
    """A call of a tool, as the template writes it."""
    return f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments})}\n</tool_call>"


def wordle(answers: dict[str, str]) -> Any:
    """The first rollout of a group guesses the word, the second another one, the third says it without a call."""

    def say(prompt: str, number: int) -> str:
        game = re.findall(r"Game \d+", prompt)[-1]
        if prompt.count("<tool_response>"):
            return "I am done."
        return [call("say", message=answers[game]), call("say", message="crane"), answers[game]][number % 3]

    return say


def mail(_: dict[str, str]) -> Any:
    """One call of the session's own tool, then words."""

    def say(prompt: str, number: int) -> str:
        del number
        return "It is not in the mailbox." if prompt.count("<tool_response>") else call("search", words="meeting")

    return say


def train(hub: Hub, target: str, policy: Any, tokenizer: Any) -> list[dict[str, Any]]:
    """TRL's log of two steps."""
    env = hub.environment(target)
    factory = environment_factory(env)
    rows = session_rows(env, "train", limit=4)
    answers = {
        (re.findall(r"Game \d+", row["prompt"]) or [row["id"]])[0]: str(row.get("answer"))
        for row in env.task_list("train", limit=4)
    }
    torch.manual_seed(0)
    model = Fixed(
        LlamaConfig(
            vocab_size=len(tokenizer), hidden_size=32, intermediate_size=64, num_hidden_layers=1, num_attention_heads=2,
            num_key_value_heads=2, max_position_embeddings=8192, pad_token_id=tokenizer.pad_token_id,
            eos_token_id=tokenizer.eos_token_id,
        )
    )  # fmt: skip
    model.tokenizer, model.say = tokenizer, policy(answers)
    with tempfile.TemporaryDirectory() as folder:
        trainer = GRPOTrainer(
            model=model,
            processing_class=tokenizer,
            environment_factory=factory,
            reward_funcs=reward_functions(env),
            train_dataset=Dataset.from_list(rows),
            args=GRPOConfig(
                output_dir=folder, per_device_train_batch_size=3, num_generations=3, max_steps=2, logging_steps=1,
                max_completion_length=400, use_cpu=True, report_to=[], reward_weights=reward_weights(env), bf16=False,
                learning_rate=1e-3, beta=0.0, save_strategy="no",
            ),
        )  # fmt: skip
        trainer.train()
        return [line for line in trainer.state.log_history if "reward" in line]


def main() -> None:
    """Wordle, where the reward must follow the words; and mail, whose tools are the session's own."""
    cache = ClientSettings.load().cache_dir / "models"
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else smollm2_folder(cache, print)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.chat_template = (files("trl") / "chat_templates" / "qwen3_instruct_2507.jinja").read_text()
    tokenizer.pad_token = "<|endoftext|>"  # noqa: S105 -- not a password
    tokenizer.eos_token = "<|im_end|>"  # noqa: S105 -- not a password
    with Hub() as hub:
        for target, policy in (("lecture/wordle", wordle), ("lecture/mail-assistant", mail)):
            for line in train(hub, target, policy, tokenizer):
                shown = {key: round(value, 3) for key, value in line.items() if "rewards/" in key or "tools/" in key}
                print(target, "grad_norm", round(line["grad_norm"], 4), shown)
                if target == "lecture/wordle" and abs(line["rewards/solved/mean"] - 2 / 3) > 0.01:
                    raise SystemExit("two of three rollouts say the word, so solved must be 2/3")
                if target == "lecture/mail-assistant" and line["rewards/calls/mean"] != 1.0:
                    raise SystemExit("each rollout called one of the session's own tools")


if __name__ == "__main__":
    main()
