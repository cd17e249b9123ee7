"""Tokens are drawn as the settings of their row say."""

import pytest
import torch

from trainer_bridge.rollout.decoding.sampling import Sampling, SlotSampling, Ways, _drawn, sample

LOGITS = torch.tensor([2.0, 1.0, 0.5, -1.0])


def draw(sampling: Sampling, count: int, logits=LOGITS, seed=0):
    rows = SlotSampling.of([sampling] * count, torch.device("cpu"))
    uniform = torch.rand(count, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
    filters = sampling.top_k > 0 or sampling.top_p < 1
    return sample(logits.expand(count, -1), rows, uniform, filters=filters, greedy=sampling.temperature == 0)


def test_frequencies_match_the_tempered_softmax():
    draws, _ = draw(Sampling(temperature=0.7), 40_000)
    frequencies = torch.bincount(draws, minlength=4) / 40_000
    assert frequencies.tolist() == pytest.approx((LOGITS / 0.7).softmax(-1).tolist(), abs=0.01)


def test_recorded_logprobs_are_after_temperature():
    tokens, logprobs = draw(Sampling(temperature=0.5), 50)
    expected = (LOGITS / 0.5).log_softmax(-1)[tokens]
    assert torch.allclose(logprobs, expected)


def test_top_k_and_top_p_keep_only_the_likeliest_and_renormalise():
    tokens, logprobs = draw(Sampling(top_k=2), 500)
    assert set(tokens.tolist()) == {0, 1}
    assert torch.allclose(logprobs, LOGITS[:2].log_softmax(-1)[tokens])
    # softmax: .61 .22 .14 .03 -> a nucleus of .7 needs the first two
    tokens, _ = draw(Sampling(top_p=0.7), 500)
    assert set(tokens.tolist()) == {0, 1}


def test_a_nucleus_of_nothing_still_has_the_likeliest():
    tokens, logprobs = draw(Sampling(top_p=0.0), 20)
    assert (set(tokens.tolist()), set(logprobs.tolist())) == ({0}, {0.0})


def test_a_nucleus_that_is_reached_exactly_takes_no_more():
    """Of two equal words of .5 each, and a nucleus of .5."""
    tokens, logprobs = draw(Sampling(top_p=0.5), 200, torch.zeros(2))
    assert (len(set(tokens.tolist())), set(logprobs.tolist())) == (1, {0.0})


@pytest.mark.parametrize(
    ("settings", "ways"),
    [
        ([Sampling(0.7)] * 2, Ways(filters=False, greedy=False)),
        ([Sampling(), Sampling(top_k=5)], Ways(filters=True, greedy=False)),
        ([Sampling(), Sampling(top_p=0.9)], Ways(filters=True, greedy=False)),
        ([Sampling(0.0), Sampling()], Ways(filters=False, greedy=True)),
    ],
)
def test_a_batch_needs_what_any_of_its_rows_needs(settings, ways):
    assert Ways.of(settings) == ways


def test_the_nucleus_is_of_what_top_k_has_kept():
    """Of the first two .73 and .27; of all .61 and .22, whose sum the nucleus would not reach."""
    tokens, _ = draw(Sampling(top_k=2, top_p=0.7), 500)
    assert set(tokens.tolist()) == {0}


def test_temperature_zero_takes_the_likeliest():
    tokens, logprobs = draw(Sampling(temperature=0), 1)
    assert tokens.item() == 0
    assert logprobs.item() == pytest.approx(LOGITS.log_softmax(-1)[0].item())


def test_each_row_has_settings_of_its_own():
    rows = SlotSampling.of([Sampling(0), Sampling(1.0, top_k=1), Sampling(1.0, top_p=0.7)], torch.device("cpu"))
    for uniform in (0.0, 0.5, 0.999999999):
        tokens, logprobs = sample(
            LOGITS.expand(3, -1), rows, torch.full((3,), uniform, dtype=torch.float64), filters=True, greedy=True
        )
        assert tokens[:2].tolist() == [0, 0]
        assert logprobs[1].item() == 0.0
        assert tokens[2].item() in (0, 1)


def test_no_random_number_draws_what_has_no_probability():
    logits = torch.tensor([float("-inf"), 0.0, float("-inf"), 0.0, float("-inf")])
    rows = SlotSampling.of([Sampling(1.0)] * 3, torch.device("cpu"))
    edges = torch.tensor([0.0, 0.5, 1 - 2**-53], dtype=torch.float64)
    tokens, _ = sample(logits.expand(3, -1), rows, edges, filters=False, greedy=False)
    assert tokens.tolist() == [1, 3, 3]


def test_a_block_of_words_without_weight_is_passed_by():
    """Also where the random number is 0, as the sums before the first word with weight are."""
    weights = torch.zeros(3, 700)
    weights[:, 600] = 1.0
    found, _ = _drawn(weights, torch.tensor([0.0, 0.5, 1 - 2**-53], dtype=torch.float64))
    assert found.tolist() == [600, 600, 600]


@pytest.mark.parametrize("words", [1, 255, 256, 257, 1000])
def test_drawing_by_blocks_is_drawing_from_the_whole_cumulative_sum(words):
    source = torch.Generator().manual_seed(words)
    weights = torch.rand(64, words, generator=source) ** 8 * (torch.rand(64, words, generator=source) > 0.3)
    weights[:, -1] += 1e-3  # no row is empty
    weights[0] = 0
    weights[0, words // 2] = 1e-30
    uniform = torch.rand(64, dtype=torch.float64, generator=source)
    uniform[:3] = torch.tensor([1 - 2**-53, 0.0, 1 - 2**-53], dtype=torch.float64)
    cumulative = weights.cumsum(-1, dtype=torch.float64)
    whole = torch.searchsorted(cumulative, (uniform * cumulative[:, -1])[:, None], right=True)[:, 0]
    found, total = _drawn(weights, uniform)
    assert torch.allclose(total, cumulative[:, -1], rtol=1e-6)
    assert torch.equal(found[3:], whole[3:])
    assert (weights.gather(1, found[:, None]) > 0).all(), "a word of weight 0 is never drawn, however sums round"


@pytest.mark.parametrize("seed", range(20))
def test_the_largest_random_number_draws_a_word_that_has_weight(seed):
    source = torch.Generator().manual_seed(seed)
    weights = torch.rand(200, 700, generator=source) * (torch.rand(200, 700, generator=source) > 0.9)
    weights[:, 0] = 1e-9
    found, _ = _drawn(weights, torch.full((200,), 1 - 2**-53, dtype=torch.float64))
    assert (weights.gather(1, found[:, None]) > 0).all()
