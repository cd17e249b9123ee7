"""Simulated models whose abilities, and tasks whose difficulties, are known."""

import numpy as np
import pytest

from hub_server.evaluations.rules.quality.outcomes import Outcomes


@pytest.fixture
def simulate():
    def make(abilities, difficulties, discriminations=None, attempts=1, seed=0) -> Outcomes:
        random = np.random.default_rng(seed)
        abilities, difficulties = np.asarray(abilities, float), np.asarray(difficulties, float)
        slopes = np.ones(len(difficulties)) if discriminations is None else np.asarray(discriminations, float)
        chances = 1 / (1 + np.exp(-slopes[None, :] * (abilities[:, None] - difficulties[None, :])))
        tries = np.full(chances.shape, attempts, dtype=np.int64)
        models = tuple(f"m{index:03d}" for index in range(len(abilities)))
        tasks = tuple(f"t{index:04d}" for index in range(len(difficulties)))
        return Outcomes(models, tasks, random.binomial(tries, chances).astype(np.int64), tries)

    return make
