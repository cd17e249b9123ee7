"""reasoning-gym: ``score_answer`` of a dataset. The entry comes with the case, or is drawn here by its number."""

import functools
import importlib
import importlib.util
import json

_EXAMPLES = ("example_correct_answer", "possible_answer", "example_answer")
"""Where data sets without one right answer keep an example of it."""


@functools.cache
def _library():
    """reasoning-gym, also where pycosat is missing: a box has no C compiler, and one puzzle alone calls it."""
    if importlib.util.find_spec("pycosat") is None:
        from adapters.framework_files import stand_in

        stand_in("pycosat")
    return importlib.import_module("reasoning_gym")


@functools.cache
def _dataset(name):
    return _library().create_dataset(name, size=1, seed=1)


def score_answer(task, response, name):
    """The score of the response for the entry in ``info.entry``."""
    return _dataset(name).score_answer(response, task["info"]["entry"])


@functools.cache
def drawn(name, size, seed):
    """A data set of ``size`` entries."""
    return _library().create_dataset(name, size=size, seed=seed)


def reference(entry):
    """The entry's own right answer as text; None where it has none."""
    if entry["answer"] is not None:
        return str(entry["answer"])
    found = next((entry["metadata"][name] for name in _EXAMPLES if entry["metadata"].get(name)), None)
    return found if found is None or isinstance(found, str) else json.dumps(found)


def score_drawn(task, response, name, size, seed):
    """The score of the response for the entry that the task's id names: ``t3`` is the fourth."""
    dataset = drawn(name, int(size), int(seed))
    return dataset.score_answer(response, dataset[int(task["id"][1:])])
