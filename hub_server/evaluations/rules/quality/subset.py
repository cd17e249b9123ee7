"""How much of a benchmark is needed to know its result: the smallest subset that rebuilds every model's total."""

from dataclasses import dataclass

import numpy as np

from hub_server.evaluations.rules.quality.outcomes import Counts, Floats, Outcomes, groups_of

_EXCHANGES = 4
_FOLDS = 5
MOST_TASKS = 3000  # chosen, not measured: of more, a random 3,000 are searched


@dataclass(frozen=True)
class Subset:
    """Tasks whose plain mean rebuilds every model's total within ``worst_error`` (in points of 1)."""

    tasks: tuple[str, ...]
    worst_error: float
    curve: tuple[tuple[int, float, float | None], ...] = ()
    """(tasks, worst error over models, worst error of models left out of the choice) for growing subsets."""
    sizes: tuple[int, int] | None = None
    """Fewest and most tasks needed when a fifth of the models is left out; None below ten models."""


class _Search:
    """Grows a subset of columns of ``rates`` [models, tasks] whose mean stays near the mean of all columns.

    Squared errors of adding or exchanging a task need only products with the columns chosen so far, so a step costs
    models x tasks and not that times the subset.
    """

    def __init__(self, rates: Floats) -> None:
        self.rates = rates
        self.total = rates.mean(axis=1)
        self.norms = (rates**2).sum(axis=0)
        self.chosen: list[int] = []
        self.products = np.zeros((0, rates.shape[1]))

    @property
    def worst(self) -> float:
        return float(np.abs(self.rates[:, self.chosen].mean(axis=1) - self.total).max())

    def grow(self) -> None:
        """Add the task that brings the mean nearest, then exchange while that helps."""
        size = len(self.chosen) + 1
        rest = self.rates[:, self.chosen].sum(axis=1) - size * self.total
        errors = self.norms + 2 * rest @ self.rates
        errors[self.chosen] = np.inf
        self._put(int(errors.argmin()), len(self.chosen))
        for _ in range(_EXCHANGES):
            if not self._exchange():
                break

    def _put(self, task: int, place: int) -> None:
        row = self.rates[:, task] @ self.rates
        if place == len(self.chosen):
            self.chosen.append(task)
            self.products = np.vstack([self.products, row])
        else:
            self.chosen[place] = task
            self.products[place] = row

    def _exchange(self) -> bool:
        """Make the exchange of c for t with the least |g + (r_t - r_c) / k|^2; False when none helps."""
        size = len(self.chosen)
        gap = self.rates[:, self.chosen].mean(axis=1) - self.total
        pull = gap @ self.rates
        apart = self.norms[None, :] + self.norms[self.chosen][:, None] - 2 * self.products
        change = 2 * (pull[None, :] - pull[self.chosen][:, None]) / size + apart / size**2
        change[:, self.chosen] = np.inf
        place, task = np.unravel_index(int(change.argmin()), change.shape)
        if change[place, task] > -1e-12:
            return False
        self._put(int(task), int(place))
        return True


def smallest_subset(outcomes: Outcomes, tolerance: float = 0.01, seed: int = 0) -> Subset:
    """Few tasks whose mean is each model's total within ``tolerance``: by adding and exchanging, so an upper bound.

    After metabench (arXiv 2407.12844). A subset can fit the models that it was chosen by through luck, so from ten
    models on it is also chosen five times with a fifth of them left out: the curve's third column is the worst error on
    those, ``sizes`` how many tasks each choice needed. Above 3,000 tasks a random 3,000 are searched.
    """
    complete = outcomes.complete()
    places = np.arange(len(complete.tasks))
    if len(places) > MOST_TASKS:
        places = np.sort(np.random.default_rng(seed).choice(places, MOST_TASKS, replace=False))
    rates = complete.rates[:, places]
    search, errors = _until(rates, tolerance)
    folds = groups_of(len(complete.models), _FOLDS, seed) if len(complete.models) >= 2 * _FOLDS else []
    left_out = [_left_out(rates, fold, tolerance, len(errors)) for fold in folds]
    worst = [max(one[size] for one, _ in left_out) if left_out else None for size in range(len(errors))]
    curve = tuple((size + 1, errors[size], worst[size]) for size in _grid(len(errors)))
    needed = [size for _, size in left_out]
    return Subset(
        tasks=tuple(complete.tasks[places[column]] for column in sorted(search.chosen)),
        worst_error=errors[-1] if errors else 0.0,
        curve=curve,
        sizes=(min(needed), max(needed)) if needed else None,
    )


def _until(rates: Floats, tolerance: float) -> tuple[_Search, list[float]]:
    """Grow until every model's total is rebuilt; the worst error after each step."""
    search, errors = _Search(rates), []
    while len(search.chosen) < rates.shape[1]:
        search.grow()
        errors.append(search.worst)
        if errors[-1] <= tolerance:
            break
    return search, errors


def _left_out(rates: Floats, fold: Counts, tolerance: float, steps: int) -> tuple[list[float], int]:
    """(worst error on the models of ``fold`` after each of ``steps`` steps, tasks that the others needed)."""
    search = _Search(np.delete(rates, fold, axis=0))
    total = rates[fold].mean(axis=1)
    errors: list[float] = []
    needed = 0
    while len(search.chosen) < rates.shape[1] and (len(errors) < steps or not needed):
        search.grow()
        errors.append(float(np.abs(rates[fold][:, search.chosen].mean(axis=1) - total).max()))
        if not needed and search.worst <= tolerance:
            needed = len(search.chosen)
    return errors[:steps] + [0.0] * (steps - len(errors)), needed or rates.shape[1]


def _grid(count: int) -> list[int]:
    """About thirty indices of 0..count - 1, dense at the start, the last one included."""
    return sorted({round(place) - 1 for place in np.geomspace(1, count, 30)} | {count - 1}) if count else []
