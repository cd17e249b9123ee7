"""Tokens are drawn from the distribution that their log-probabilities say."""

import pytest
import torch

from trainer_bridge.decoding.sampling import Sampling, sample

LOGITS = torch.tensor([2.0, 1.0, 0.5, -1.0])


def test_frequencies_match_the_tempered_softmax():
    draws, _ = sample(LOGITS.expand(40_000, -1), Sampling(temperature=0.7), torch.Generator().manual_seed(0))
    frequencies = torch.bincount(draws, minlength=4) / 40_000
    assert frequencies.tolist() == pytest.approx((LOGITS / 0.7).softmax(-1).tolist(), abs=0.01)


def test_recorded_logprobs_are_after_temperature():
    tokens, logprobs = sample(LOGITS.expand(50, -1), Sampling(temperature=0.5), torch.Generator().manual_seed(1))
    expected = (LOGITS / 0.5).log_softmax(-1)[tokens]
    assert torch.allclose(logprobs, expected)


def test_top_k_and_top_p_keep_only_the_likeliest_and_renormalise():
    generator = torch.Generator().manual_seed(2)
    tokens, logprobs = sample(LOGITS.expand(500, -1), Sampling(top_k=2), generator)
    assert set(tokens.tolist()) == {0, 1}
    assert torch.allclose(logprobs, LOGITS[:2].log_softmax(-1)[tokens])
    # softmax: .61 .22 .14 .03 -> a nucleus of .7 needs the first two
    tokens, _ = sample(LOGITS.expand(500, -1), Sampling(top_p=0.7), generator)
    assert set(tokens.tolist()) == {0, 1}


def test_temperature_zero_takes_the_likeliest():
    tokens, logprobs = sample(LOGITS[None], Sampling(temperature=0), None)
    assert tokens.item() == 0
    assert logprobs.item() == pytest.approx(LOGITS.log_softmax(-1)[0].item())
