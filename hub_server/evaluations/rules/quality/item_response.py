"""Two-parameter item response theory: difficulty and discrimination of tasks, ability of models."""

from dataclasses import dataclass

import numpy as np

from hub_server.evaluations.rules.quality.outcomes import Floats, Outcomes
from schemas.measures.intervals import Z_95, Interval

# Enough for 1,000 tasks, at which an ability is known to about 0.08.
_NODES = 81
_ITERATIONS = 200  # chosen: the tolerance ends it sooner, unless it does not converge
_TOLERANCE = 1e-4
_NEWTON_STEPS = 3
_DRAWS = 400
_WIDEST = 10.0
# Weak normal priors: without them a task that all or no model solves has no finite difficulty. The slope's reaches
# below zero, so that a broken item can show itself.
_SLOPE_MEAN, _SLOPE_SPREAD = 1.0, 1.0
_INTERCEPT_SPREAD = 3.0


@dataclass(frozen=True)
class ItemResponse:
    """P(solved) = sigmoid(a * (ability - b)). Abilities have mean 0 and spread 1 in the population of models.

    ``a`` is the discrimination, ``b`` the difficulty. Every number has its 95 % interval; that of a difficulty ends at
    -10 or 10, for a task whose discrimination may be zero has no bounded difficulty.
    """

    discrimination: dict[str, Interval]
    difficulty: dict[str, Interval]
    ability: dict[str, Interval]


def fit_2pl(outcomes: Outcomes) -> ItemResponse:
    """Fit by marginal maximum a posteriori (EM over a normal ability, 81 quadrature nodes).

    Source: Bock & Aitkin, Marginal maximum likelihood estimation of item parameters, Psychometrika 1981; the model as
    in Lord & Novick 1968. Intervals of tasks: the observed information (Louis, J. R. Stat. Soc. B 1982), task by task;
    of a difficulty, seeded draws of -d / a. Intervals of models: the posterior of the ability, tasks taken as known.
    Needs two models and one task; with few models the priors show, so read ranks and not digits.
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
    covariance = _covariance(outcomes, nodes, posterior, slopes, intercepts)
    return ItemResponse(
        discrimination=_estimates(outcomes.tasks, slopes, np.sqrt(covariance[0])),
        difficulty=_difficulties(outcomes.tasks, slopes, intercepts, covariance),
        ability=_abilities(outcomes, slopes, intercepts),
    )


def _abilities(outcomes: Outcomes, slopes: Floats, intercepts: Floats) -> dict[str, Interval]:
    """Posterior mean and spread of each model, on a grid of its own around its mode."""
    center = np.zeros(len(outcomes.models))
    for _ in range(30):
        gradient, curvature = _ability_slope(outcomes, center, slopes, intercepts)
        center = np.clip(center + np.clip(gradient / curvature, -1, 1), -6, 6)
    _, curvature = _ability_slope(outcomes, center, slopes, intercepts)
    steps = np.linspace(-6, 6, 61)
    grid = center[:, None] + steps[None, :] / np.sqrt(curvature)[:, None]
    logs = np.stack([_log_posterior(outcomes, column, slopes, intercepts) for column in grid.T], axis=1)
    shares = np.exp(logs - logs.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    mean = (shares * grid).sum(axis=1)
    spread = np.sqrt(np.maximum((shares * grid**2).sum(axis=1) - mean**2, 0.0))
    return _estimates(outcomes.models, mean, spread)


def _ability_slope(outcomes: Outcomes, at: Floats, slopes: Floats, intercepts: Floats) -> tuple[Floats, Floats]:
    """First derivative and (negative) second derivative of each model's log-posterior at ``at`` [models]."""
    chances = _probabilities(at, slopes, intercepts)
    gradient = ((outcomes.successes - outcomes.attempts * chances) * slopes).sum(axis=1) - at
    curvature = (outcomes.attempts * chances * (1 - chances) * slopes**2).sum(axis=1) + 1.0
    return gradient, curvature


def _log_posterior(outcomes: Outcomes, at: Floats, slopes: Floats, intercepts: Floats) -> Floats:
    logits = np.clip(at[:, None] * slopes[None, :] + intercepts[None, :], -35, 35)
    fit = outcomes.successes * logits - outcomes.attempts * np.logaddexp(0.0, logits)
    return np.asarray(fit.sum(axis=1) - at**2 / 2, dtype=np.float64)


def _covariance(
    outcomes: Outcomes, nodes: Floats, posterior: Floats, slopes: Floats, intercepts: Floats
) -> tuple[Floats, Floats, Floats]:
    """(var a, cov, var d) by task: the inverse of complete information less what the unknown abilities take away."""
    chances = _probabilities(nodes, slopes, intercepts)
    y, n = outcomes.successes.astype(float), outcomes.attempts.astype(float)
    powers = [posterior * nodes[None, :] ** k for k in range(3)]
    plain = [power.sum(axis=1)[:, None] for power in powers]
    once = [power @ chances for power in powers]
    twice = [power @ chances**2 for power in powers]
    squared = [y**2 * plain[k] - 2 * y * n * once[k] + n**2 * twice[k] for k in range(3)]
    mean = [y * plain[k] - n * once[k] for k in range(2)]
    information = [(n * (once[k] - twice[k])).sum(axis=0) for k in range(3)]
    missing = [
        (squared[0] - mean[0] ** 2).sum(axis=0),
        (squared[1] - mean[0] * mean[1]).sum(axis=0),
        (squared[2] - mean[1] ** 2).sum(axis=0),
    ]
    prior = (1 / _INTERCEPT_SPREAD**2, 0.0, 1 / _SLOPE_SPREAD**2)
    dd, ad, aa = (information[k] - missing[k] + prior[k] for k in range(3))
    # Where tasks say almost nothing the difference may lose its definiteness: the prior alone bounds them then.
    dd, aa = np.maximum(dd, prior[0]), np.maximum(aa, prior[2])
    ad = np.clip(ad, -0.99 * np.sqrt(aa * dd), 0.99 * np.sqrt(aa * dd))
    determinant = aa * dd - ad**2
    return dd / determinant, -ad / determinant, aa / determinant


def _difficulties(
    tasks: tuple[str, ...], slopes: Floats, intercepts: Floats, covariance: tuple[Floats, Floats, Floats]
) -> dict[str, Interval]:
    var_a, cov, var_d = covariance
    first, second = np.random.default_rng(0).normal(size=(2, _DRAWS, 1))
    a = slopes + np.sqrt(var_a) * first
    slope = cov / var_a
    d = intercepts + slope * (a - slopes) + np.sqrt(np.maximum(var_d - slope * cov, 0.0)) * second
    low, high = np.quantile(_difficulty(a, d), (0.025, 0.975), axis=0)
    value = _difficulty(slopes, intercepts)
    rows = zip(tasks, value, np.minimum(low, value), np.maximum(high, value), strict=True)
    return {task: Interval(value=float(v), low=float(lo), high=float(hi)) for task, v, lo, hi in rows}


def _difficulty(slopes: Floats, intercepts: Floats) -> Floats:
    safe = np.where(np.abs(slopes) < 1e-3, 1e-3, slopes)
    return np.asarray(np.clip(-intercepts / safe, -_WIDEST, _WIDEST), dtype=np.float64)


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


def _estimates(names: tuple[str, ...], values: Floats, errors: Floats) -> dict[str, Interval]:
    rows = zip(names, values, errors, strict=True)
    return {name: Interval(value=float(v), low=float(v - Z_95 * e), high=float(v + Z_95 * e)) for name, v, e in rows}
