"""How far two rewards are apart as aims of training."""

import numpy as np
from numpy.typing import NDArray

# STARC: how far apart two rewards are as optimisation targets, on a small enumerable environment


Floats = NDArray[np.float64]


def canonical(reward_SAS: Floats, transition_SAS: Floats, gamma: float) -> Floats:
    """VAL canonicalisation under the uniform policy: E[R + gamma V(s')] - V(s), [S, A]: potential shaping removed."""
    expected_SA = (transition_SAS * reward_SAS).sum(-1)
    states, actions = expected_SA.shape
    transition_SS = transition_SAS.mean(1)
    value_S = np.linalg.solve(np.eye(states) - gamma * transition_SS, expected_SA.sum(-1) / actions)
    result: Floats = expected_SA + gamma * transition_SAS @ value_S - value_S[:, None]
    return result


def starc_distance(one_SAS: Floats, two_SAS: Floats, transition_SAS: Floats, gamma: float = 0.9) -> float:
    """L2 distance in [0, 2] of the normalised canonical rewards; a trivial reward canonicalises to 0.

    Source: arXiv 2309.15257 [C].
    """
    standardised = []
    for reward in (one_SAS, two_SAS):
        c = canonical(reward, transition_SAS, gamma)
        size = np.linalg.norm(c)
        standardised.append(c / size if size > 1e-12 else np.zeros_like(c))
    return float(np.linalg.norm(standardised[0] - standardised[1]))
