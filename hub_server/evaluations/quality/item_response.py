"""Two-parameter item response theory: difficulty and discrimination of tasks, ability of models."""

from dataclasses import dataclass

import numpy as np

from hub_server.evaluations.quality.outcomes import Floats, Outcomes

_NODES = 41
_ITERATIONS = 200
_TOLERANCE = 1e-5
_NEWTON_STEPS = 8
# Weak normal priors: without them a task that all or no model solves has no finite difficulty. The slope's reaches
# below zero, so that a broken item can show itself.
_SLOPE_MEAN, _SLOPE_SPREAD = 1.0, 1.0
_INTERCEPT_SPREAD = 3.0


@dataclass(frozen=True)
class ItemResponse:
    """P(solved) = sigmoid(a * (ability - b)). Abilities have mean 0 and spread 1 in the population of models."""

    discrimination: dict[str, float]
    difficulty: dict[str, float]
    ability: dict[str, float]
    ability_error: dict[str, float]


def fit_2pl(outcomes: Outcomes) -> ItemResponse:
    """Fit by marginal maximum a posteriori (EM over a normal ability, 41 quadrature nodes).

    Source: Bock & Aitkin, Marginal maximum likelihood estimation of item parameters, Psychometrika 1981; the model as
    in Lord & Novick 1968. Needs two models and one task; with few models the priors show, so read ranks and not digits.
    """
    if len(outcomes.models) < 2 or not outcomes.tasks:
        raise ValueError("item response needs at least two models and one task")
    nodes = np.linspace(-4, 4, _NODES)
    weights = np.exp(-(nodes**2) / 2)
    weights /= weights.sum()
    slopes, intercepts = np.ones(len(outcomes.tasks)), _starting_intercepts(outcomes)
    for _ in range(_ITERATIONS):
        posterior = _posterior(outcomes, nodes, weights, slopes, intercepts)
        new_slopes, new_intercepts = _maximise(outcomes, nodes, posterior, slopes, intercepts)
        change = max(np.abs(new_slopes - slopes).max(), np.abs(new_intercepts - intercepts).max())
        slopes, intercepts = new_slopes, new_intercepts
        if change < _TOLERANCE:
            break
    posterior = _posterior(outcomes, nodes, weights, slopes, intercepts)
    ability = posterior @ nodes
    spread = np.sqrt(np.maximum(posterior @ nodes**2 - ability**2, 0.0))
    safe = np.where(np.abs(slopes) < 1e-3, 1e-3, slopes)
    return ItemResponse(
        discrimination=_named(outcomes.tasks, slopes),
        difficulty=_named(outcomes.tasks, -intercepts / safe),
        ability=_named(outcomes.models, ability),
        ability_error=_named(outcomes.models, spread),
    )


def _starting_intercepts(outcomes: Outcomes) -> Floats:
    rates = (outcomes.successes.sum(axis=0) + 0.5) / (outcomes.attempts.sum(axis=0) + 1.0)
    return np.asarray(np.log(rates / (1 - rates)), dtype=np.float64)


def _probabilities(nodes: Floats, slopes: Floats, intercepts: Floats) -> Floats:
    """[nodes, tasks]."""
    logits = nodes[:, None] * slopes[None, :] + intercepts[None, :]
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(logits, -35, 35))), dtype=np.float64)


def _posterior(outcomes: Outcomes, nodes: Floats, weights: Floats, slopes: Floats, intercepts: Floats) -> Floats:
    """[models, nodes]: where each model's ability lies, given its outcomes."""
    chances = np.clip(_probabilities(nodes, slopes, intercepts), 1e-12, 1 - 1e-12)
    failures = outcomes.attempts - outcomes.successes
    logs = outcomes.successes @ np.log(chances).T + failures @ np.log(1 - chances).T + np.log(weights)[None, :]
    shares = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True), dtype=np.float64)


def _maximise(
    outcomes: Outcomes, nodes: Floats, posterior: Floats, slopes: Floats, intercepts: Floats
) -> tuple[Floats, Floats]:
    """Newton steps for all tasks at once on the expected log-posterior of (slope, intercept)."""
    tried = posterior.T @ outcomes.attempts
    solved = posterior.T @ outcomes.successes
    slopes, intercepts = slopes.copy(), intercepts.copy()
    for _ in range(_NEWTON_STEPS):
        chances = _probabilities(nodes, slopes, intercepts)
        residual = solved - tried * chances
        curvature = tried * chances * (1 - chances)
        gradient_a = (nodes[:, None] * residual).sum(axis=0) - (slopes - _SLOPE_MEAN) / _SLOPE_SPREAD**2
        gradient_d = residual.sum(axis=0) - intercepts / _INTERCEPT_SPREAD**2
        h_aa = (nodes[:, None] ** 2 * curvature).sum(axis=0) + 1 / _SLOPE_SPREAD**2
        h_ad = (nodes[:, None] * curvature).sum(axis=0)
        h_dd = curvature.sum(axis=0) + 1 / _INTERCEPT_SPREAD**2
        determinant = h_aa * h_dd - h_ad**2
        slopes += np.clip((h_dd * gradient_a - h_ad * gradient_d) / determinant, -1, 1)
        intercepts += np.clip((h_aa * gradient_d - h_ad * gradient_a) / determinant, -1, 1)
    return slopes, intercepts


def _named(names: tuple[str, ...], values: Floats) -> dict[str, float]:
    return dict(zip(names, map(float, values), strict=True))
