"""Fixture F1 and a way to make batches by hand."""

import pytest
import torch

from schemas.manifest import RewardDeclaration, RewardRole
from tests.making import batches
from trainer_bridge.rewards import RewardSpace

NAN = float("nan")


def padded(rows, fill=0.0):
    width = max(len(row) for row in rows)
    return torch.tensor([[*row, *[fill] * (width - len(row))] for row in rows], dtype=torch.float64)


@pytest.fixture
def make_batch():
    return batches.make_batch


@pytest.fixture
def f1(make_batch):
    """One prompt, four samples of lengths 2, 4, 3, 1, rewards 1, 0, .5, 0."""
    return make_batch([2, 4, 3, 1], rewards={"score": [1.0, 0.0, 0.5, 0.0]})


@pytest.fixture
def f1_utility():
    return torch.tensor([1.0, 0.0, 0.5, 0.0], dtype=torch.float64)


@pytest.fixture
def f1_log_ratio():
    """log rho of F1; 0 on padding."""
    rows = [[1.5, 0.7], [0.5, 1.0, 1.3, 4.0], [1.1, 0.9, 1.25], [0.75]]
    return padded(rows, fill=1.0).log()


@pytest.fixture
def weighted_space():
    def make(**weights):
        return RewardSpace(
            {name: RewardDeclaration(role=RewardRole.SCORE, weight=weight) for name, weight in weights.items()}
        )

    return make
