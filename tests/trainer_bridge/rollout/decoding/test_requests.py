"""Where an answer ends: at an end token, at a word of its text, at its limit; whichever comes first."""

import pytest

from trainer_bridge.rollout.chat import StopWords
from trainer_bridge.rollout.decoding.requests import GenerationRequest, cut_at_end
from trainer_bridge.rollout.decoding.sampling import Sampling


@pytest.mark.parametrize(
    ("tokens", "limit", "expected"),
    [
        ([4, 7, 5], 9, ((4, 7), False)),
        ([4, 5, 7], 3, ((4, 5, 7), False)),
        ([4, 5, 7], 2, ((4, 5), True)),
        ([7], 1, ((7,), False)),
        ([4, 5], 9, ((4, 5), True)),
    ],
)
def test_tokens_are_kept_up_to_the_first_end(tokens, limit, expected):
    assert cut_at_end(tokens, (7, 8), GenerationRequest((1,), limit, Sampling(), seed=0)) == expected


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        ("abSTOPcd", ("abSTOP", False)),
        ("abSTO", ("abSTO", True)),
        ("ab|STOP", ("ab|", False)),  # an end token came first
        ("abcdefghijSTOP", ("abcdefghij", True)),  # the limit
        ("STOP|", ("STOP", False)),
    ],
)
def test_a_word_of_the_text_ends_an_answer_as_well(tokens, expected):
    stop = StopWords(["STOP", "never"], lambda ids: "".join(map(chr, ids)), [ord("|")])
    ask = GenerationRequest((1,), 10, Sampling(), seed=0, stop=stop)
    kept, truncated = cut_at_end([ord(one) for one in tokens], (ord("|"),), ask)
    assert ("".join(map(chr, kept)), truncated) == expected


def test_a_request_for_no_token_is_a_mistake():
    with pytest.raises(ValueError, match="at least one token"):
        GenerationRequest((1,), 0, Sampling(), seed=0)
