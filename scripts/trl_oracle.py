"""Write tests/trainer_bridge/learn/trl_oracle.json: losses and gradients of TRL, for the tests to compare with.

And trl_metrics.json beside it: what TRL reports of the same batches.

TRL is heavy, so it lives in an environment of its own. In the repository, with torch and transformers installed there:

    pip install trl==1.16.0
    PYTHONPATH=. python scripts/trl_oracle.py

TRL computes advantages, loss and gradients by its own functions in float64, on the batch of
tests/making/oracle_cases.py.
"""

import json
import tempfile
from pathlib import Path
from typing import Any

import torch
import trl
from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer, RLOOConfig, RLOOTrainer

from tests.making.oracle_cases import (
    CASES,
    MAX_LENGTH,
    TEMPERATURE,
    Case,
    Samples,
    completions,
    fingerprint,
    policy,
    prompt_ids,
)
from trainer_bridge.models.tiny import tiny_tokenizer

_TARGET = Path("tests/trainer_bridge/learn/trl_oracle.json")
_METRICS = Path("tests/trainer_bridge/learn/trl_metrics.json")


class FixedTrainer(GRPOTrainer):
    """TRL's trainer with the completions given instead of sampled."""

    case: Case

    def _generate(self, prompts: list[Any]) -> Any:
        batch, texts = self.case.batch, ["x"] * len(prompts)
        written = [[int(own) for own in batch.written(row)] for row in range(len(prompts))]
        logprobs = _engine_logprobs(batch) if self.case.has_engine else None
        return prompt_ids(batch), completions(batch), written if batch.read else None, texts, logprobs, {}, None, []


class FixedRlooTrainer(RLOOTrainer):
    """The same for TRL's RLOO trainer, which has no masks of tools."""

    case: Case

    def _generate(self, prompts: list[Any]) -> Any:
        return prompt_ids(self.case.batch), completions(self.case.batch), ["x"] * len(prompts)


@torch.no_grad()
def _engine_logprobs(batch: Samples) -> list[list[float]]:
    """What an engine would have said of each token that it wrote."""
    model, found = policy("engine").double(), []
    for prompt, tokens in zip(prompt_ids(batch), completions(batch), strict=True):
        logits = model(torch.tensor([[*prompt, *tokens]])).logits[0, len(prompt) - 1 : -1] / TEMPERATURE
        found.append(logits.log_softmax(-1).gather(-1, torch.tensor(tokens)[:, None])[:, 0].tolist())
    return found


def _reward(column: int, case: Case) -> Any:
    def given(completions: list[str], **_: Any) -> list[float | None]:
        return [row[column] for row in case.batch.rewards[: len(completions)]]

    given.__name__ = f"reward_{column}"
    return given


def _trainer(case: Case, folder: str) -> FixedTrainer | FixedRlooTrainer:
    batch, is_rloo = case.batch, case.trainer == "rloo"
    config = (RLOOConfig if is_rloo else GRPOConfig)(
        output_dir=folder,
        per_device_train_batch_size=len(batch.groups),
        num_generations=batch.group,
        gradient_accumulation_steps=1,
        max_completion_length=MAX_LENGTH,
        temperature=TEMPERATURE,
        reward_weights=list(case.weights),
        use_cpu=True,
        bf16=False,
        report_to="none",
        gradient_checkpointing=False,
        **case.names,
    )
    model = policy("new").double()
    model.save_pretrained(f"{folder}/model")
    model.config._name_or_path = f"{folder}/model"  # noqa: SLF001 -- where TRL looks for the reference model
    trainer = (FixedRlooTrainer if is_rloo else FixedTrainer)(
        model=model,
        reward_funcs=[_reward(0, case), _reward(1, case)],
        args=config,
        train_dataset=Dataset.from_dict({"prompt": list(batch.prompts)}),
        processing_class=tiny_tokenizer(),
    )
    if is_rloo and case.names["beta"]:  # it takes the KL from the reward as soon as completions are scored
        trainer.ref_model.load_state_dict(policy("reference").state_dict())
        trainer.ref_model.double()
    trainer.case, trainer.use_vllm = case, case.has_engine  # the engine's part is given: nothing of vLLM runs
    return trainer


def _logprobs(trainer: Any, which: str, inputs: dict[str, Any]) -> torch.Tensor:
    ids = torch.cat([inputs["prompt_ids"], inputs["completion_ids"]], dim=1)
    mask = torch.cat([inputs["prompt_mask"], inputs["completion_mask"]], dim=1)
    trainer.model.load_state_dict(policy(which).double().state_dict())
    with torch.no_grad():
        found = trainer._get_per_token_logps_and_entropies(  # noqa: SLF001 -- the function under comparison
            trainer.model, ids, mask, inputs["completion_ids"].shape[1]
        )[0]
    trainer.model.load_state_dict(policy("new").double().state_dict())
    return found


def _measure(case: Case, *, is_off_policy: bool) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        trainer = _trainer(case, folder)
        trainer.model.train()
        trainer.current_gradient_accumulation_steps = 1
        rows = [{"prompt": case.batch.prompts[place]} for place in case.batch.groups]
        trainer.model.load_state_dict(policy("old" if is_off_policy else "new").double().state_dict())
        inputs = trainer._generate_and_score_completions(rows)  # noqa: SLF001
        trainer.model.load_state_dict(policy("new").double().state_dict())
        inputs["advantages"] = inputs["advantages"].double()
        if case.trainer == "rloo":
            pass  # old and reference log-probabilities are in old_logps and in the advantages
        elif is_off_policy:
            inputs["old_per_token_logps"] = _logprobs(trainer, "old", inputs)
        else:
            inputs.pop("old_per_token_logps", None)
        if case.names.get("beta") and case.trainer == "grpo":
            inputs["ref_per_token_logps"] = _logprobs(trainer, "reference", inputs)
        loss = trainer._compute_loss(trainer.model, inputs)  # noqa: SLF001
        loss.backward()
        gradients = {name: one.grad for name, one in trainer.model.named_parameters() if one.grad is not None}
        return {
            "loss": loss.item(),
            "advantages": inputs["advantages"].tolist(),
            "gradients": fingerprint(gradients),
            "metrics": {name: values[0] for name, values in sorted(trainer._metrics["train"].items())},  # noqa: SLF001
        }


def main() -> None:
    """Measure every case on and off policy."""
    found = {
        name: {kind: _measure(case, is_off_policy=kind == "off_policy") for kind in ("on_policy", "off_policy")}
        for name, case in CASES.items()
    }
    reported = {name: {kind: one.pop("metrics") for kind, one in kinds.items()} for name, kinds in found.items()}
    versions = {"trl": trl.__version__, "torch": torch.__version__}
    _TARGET.write_text(json.dumps({**versions, "cases": found}, indent=1) + "\n")
    _METRICS.write_text(json.dumps({**versions, "cases": reported}, indent=1) + "\n")


if __name__ == "__main__":
    main()
