"""A completion ends with its first end token, or was cut."""

import pytest

from trainer_bridge.rollout.decoding.requests import Ask, cut_at_end
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
    assert cut_at_end(tokens, (7, 8), limit) == expected


def test_a_request_for_no_token_is_a_mistake():
    with pytest.raises(ValueError, match="at least one token"):
        Ask((1,), 0, Sampling(), seed=0)
