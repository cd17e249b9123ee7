"""transformers' own ``generate``: the oracle in tests, and the fallback for architectures not decoded here."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from transformers import GenerationConfig

from trainer_bridge.decoding.completions import Completion, Request, cut_at_end


@dataclass(frozen=True)
class TransformersDecoder:
    """Same answers as the static decoder when greedy; slower, and all samples of a call are yielded at its end."""

    model: Any
    eos_ids: tuple[int, ...]

    def generate(self, request: Request, generator: torch.Generator) -> Iterator[Completion]:
        """Yield every completion once the whole padded batch is done."""
        prompts = [list(prompt) for prompt in request.prompts for _ in range(request.copies)]
        ids_BT, mask_BT = _left_padded(prompts, pad=self.eos_ids[0])
        width = ids_BT.shape[1]
        with torch.random.fork_rng(), torch.no_grad():
            # generate() takes no generator: seed the global one from ours, so that a run can be repeated
            torch.manual_seed(int(torch.randint(2**62, (1,), generator=generator, device=generator.device)))
            answer = self.model.generate(
                ids_BT.to(self.model.device),
                attention_mask=mask_BT.to(self.model.device),
                generation_config=self._config(request),
            )
        logprobs_TBV = torch.stack(answer.scores).float().log_softmax(-1)
        chosen_BT = answer.sequences[:, width:]
        logprobs_BT = logprobs_TBV.transpose(0, 1).gather(-1, chosen_BT[..., None])[..., 0]
        for row in range(len(prompts)):
            tokens, truncated = cut_at_end(chosen_BT[row].tolist(), self.eos_ids, request.max_completion_length)
            logprobs = tuple(logprobs_BT[row, : len(tokens)].tolist())
            yield Completion(row // request.copies, row % request.copies, tokens, logprobs, truncated)

    def _config(self, request: Request) -> GenerationConfig:
        """Only what was asked for: a model's shipped generation settings are ignored on purpose."""
        sampling = request.sampling
        drawn = {"temperature": sampling.temperature, "top_p": sampling.top_p, "top_k": sampling.top_k}
        return GenerationConfig(
            max_new_tokens=request.max_completion_length,
            eos_token_id=list(self.eos_ids),
            pad_token_id=self.eos_ids[0],
            do_sample=sampling.temperature > 0,
            output_scores=True,
            return_dict_in_generate=True,
            **(drawn if sampling.temperature > 0 else {}),
        )


def _left_padded(prompts: list[list[int]], pad: int) -> tuple[Tensor, Tensor]:
    width = max(len(prompt) for prompt in prompts)
    ids_BT = torch.full((len(prompts), width), pad, dtype=torch.long)
    mask_BT = torch.zeros((len(prompts), width), dtype=torch.long)
    for row, prompt in enumerate(prompts):
        ids_BT[row, width - len(prompt) :] = torch.tensor(prompt)
        mask_BT[row, width - len(prompt) :] = 1
    return ids_BT, mask_BT
