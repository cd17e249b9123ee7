"""Micro-batches within a budget, in which every token is predicted once from what came before it."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trainer_bridge.learn.shared_prompts import SAMPLES
from trainer_bridge.learn.micro_batches import BatchRow, Piece, pack

CPU = torch.device("cpu")

TOKENS = st.lists(st.integers(1, 9), min_size=1, max_size=5)
BATCH = st.lists(st.tuples(TOKENS, st.lists(TOKENS, min_size=1, max_size=3)), min_size=1, max_size=4).map(
    lambda groups: [
        BatchRow(number, prompt, tokens) for number, (prompt, answers) in enumerate(groups) for tokens in answers
    ]
)


def context_of(micro, number):
    """The tokens that the number-th prediction may see, by position: what a plain sequence would hold there."""
    row, source = int(micro.source_row_N[number]), int(micro.source_position_N[number])
    seen = micro.attention_mask_R1LL[row, 0, source].nonzero()[:, 0]
    positions = micro.position_ids_RL[row, seen].tolist()
    assert positions == sorted(set(positions)), "no position is seen twice"
    assert positions == list(range(len(positions))), "positions go on without a gap"
    return micro.input_ids_RL[row, seen].tolist()


@settings(deadline=None, max_examples=60)
@given(BATCH, st.integers(1, 60), st.integers(1, 30))
def test_each_token_is_predicted_once_from_the_plain_sequence_before_it(samples, max_tokens, max_row_tokens):
    seen = set()
    for micro in pack(samples, max_tokens=max_tokens, max_row_tokens=max_row_tokens, device=CPU):
        for number, (local, place) in enumerate(zip(micro.sample_N.tolist(), micro.token_N.tolist(), strict=True)):
            sample = samples[micro.samples[local]]
            assert int(micro.target_N[number]) == sample.tokens[place]
            assert context_of(micro, number) == [*sample.prompt, *sample.tokens[:place]]
            seen.add((micro.samples[local], place))
    assert seen == {(row, place) for row, sample in enumerate(samples) for place in range(len(sample.tokens))}


@settings(deadline=None, max_examples=60)
@given(BATCH, st.integers(1, 60))
def test_a_micro_batch_keeps_the_budget_unless_one_row_alone_exceeds_it(samples, max_tokens):
    micros = pack(samples, max_tokens=max_tokens, device=CPU)
    assert sorted(row for micro in micros for row in micro.samples) == list(range(len(samples)))
    for micro in micros:
        rows, length = micro.input_ids_RL.shape
        assert rows == 1 or rows * length <= max_tokens
        assert micro.width == max(len(sample.tokens) for sample in samples)


def test_a_prompt_is_computed_once_for_all_that_continue_it():
    samples = [BatchRow(0, [1, 2, 3], [4, 5]), BatchRow(0, [1, 2, 3], [6]), BatchRow(0, [1, 2, 3], [7, 8, 9])]
    (micro,) = pack(samples, max_tokens=100, device=CPU)
    assert micro.input_ids_RL.tolist() == [[1, 2, 3, 4, 7, 8]]
    assert micro.position_ids_RL.tolist() == [[0, 1, 2, 3, 3, 4]]


def test_the_same_prompt_of_another_group_is_another_row():
    (micro,) = pack([BatchRow(0, [1], [2, 3]), BatchRow(1, [1], [4, 5])], max_tokens=100, device=CPU)
    assert len(micro.input_ids_RL) == 2


def test_padding_sees_only_itself_so_that_no_softmax_is_empty():
    (micro,) = pack([BatchRow(0, [1], [2]), BatchRow(1, [1, 2, 3], [4, 5])], max_tokens=100, device=CPU)
    assert micro.attention_mask_R1LL.any(-1).all()
    short = micro.input_ids_RL.shape[1] - 1
    padded = next(row for row in range(2) if int(micro.input_ids_RL[row, short]) == 0)
    assert not micro.attention_mask_R1LL[padded, 0, 0, 1:].any()


@pytest.mark.parametrize("width", [None, 3, 10])
def test_the_width_is_the_batch_s_or_the_longest_completion(width):
    for micro in pack([BatchRow(0, [1], [2, 3, 4]), BatchRow(1, [1], [2])], max_tokens=1, width=width, device=CPU):
        assert micro.width == (width or 3)


PIECES = st.lists(st.builds(Piece, TOKENS, st.lists(st.integers(1, 9), max_size=4)), min_size=1, max_size=3)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 2), PIECES), min_size=1, max_size=6), st.integers(1, 60), st.integers(1, 30))
def test_a_sample_of_several_sequences_is_one_row_whose_tokens_see_their_own_sequence(made, budget, max_row_tokens):
    samples = [BatchRow(group, pieces[0].prompt, pieces[0].tokens, tuple(pieces[1:])) for group, pieces in made]
    if not any(sample.width for sample in samples):
        return
    seen, homes = set(), set()
    for micro in pack(samples, max_tokens=budget, max_row_tokens=max_row_tokens, device=CPU):
        assert not homes & set(micro.samples), "a sample is whole in one micro-batch"
        homes |= set(micro.samples)
        for number, (local, place) in enumerate(zip(micro.sample_N.tolist(), micro.token_N.tolist(), strict=True)):
            before = place
            for piece in samples[micro.samples[local]].pieces:
                if before < len(piece.tokens):
                    break
                before -= len(piece.tokens)
            assert int(micro.target_N[number]) == piece.tokens[before]
            assert context_of(micro, number) == [*piece.prompt, *piece.tokens[:before]]
            seen.add((micro.samples[local], place))
    assert seen == {(row, place) for row, sample in enumerate(samples) for place in range(sample.width)}


def test_every_sample_appears_exactly_once_and_rows_keep_the_budget():
    for max_tokens in (5, 16, 40):
        batches = pack(SAMPLES, max_tokens=max_tokens, device=CPU)
        assert sorted(index for micro in batches for index in micro.samples) == list(range(len(SAMPLES)))
        for micro in batches:
            rows, length = micro.input_ids_RL.shape
            assert rows == 1 or rows * length <= max_tokens
