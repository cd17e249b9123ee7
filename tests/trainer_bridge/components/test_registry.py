"""Components are made from a recipe's words: every name once, every value in the type that its parameter has."""

import dataclasses
import importlib
import inspect
import pkgutil

import pytest

import trainer_bridge.components
from trainer_bridge.components.losses import Clip
from trainer_bridge.components.names import component_parameters
from trainer_bridge.components.registry import COMPONENTS, make_component
from trainer_bridge.errors import RecipeError

EVERY = sorted((kind, name) for kind, named in COMPONENTS.items() for name in named)


def test_every_component_of_the_package_can_be_named():
    """A class with a ``name`` that no recipe can reach is dead."""
    written = set()
    for info in pkgutil.iter_modules(trainer_bridge.components.__path__):
        module = importlib.import_module(f"trainer_bridge.components.{info.name}")
        written |= {one for _, one in inspect.getmembers(module, inspect.isclass)
                    if dataclasses.is_dataclass(one) and isinstance(getattr(one, "name", None), str)}  # fmt: skip
    assert written == {one for named in COMPONENTS.values() for one in named.values()}


@pytest.mark.parametrize(("kind", "name"), EVERY)
def test_each_is_made_by_its_name_with_its_own_defaults(kind, name):
    made = make_component(kind, name, {})
    assert type(made) is COMPONENTS[kind][name]
    again = {field.name: getattr(made, field.name) for field in dataclasses.fields(made)}
    given = {key: list(value) if isinstance(value, tuple) else value for key, value in again.items()}
    assert make_component(kind, name, given) == made, "its defaults are values that it takes"
    assert tuple(again) == component_parameters()[kind][name]


def test_parameters_are_handed_over_and_a_list_becomes_a_tuple():
    assert make_component("surrogate", "clip", {"epsilon_high": 0.3}) == Clip(epsilon_high=0.3)
    assert make_component("aggregator", "lexicographic", {"order": ["a", "b"]}).order == ("a", "b")


@pytest.mark.parametrize(
    ("kind", "name", "parameters", "said"),
    [
        ("surrogate", "clp", {}, "no component 'clp'; did you mean 'clip'"),
        ("surrogate", "clip", {"epsilon_hgh": 0.3}, "no parameter 'epsilon_hgh'; did you mean 'epsilon_high'"),
        ("surrogate", "clip", {"epsilon": "0.2"}, "surrogate clip.epsilon is '0.2'"),
        ("surrogate", "clip", {"epsilon": True}, "surrogate clip.epsilon is True"),
        ("surrogate", "clip", {"epsilon": float("nan")}, "surrogate clip.epsilon is nan"),
        ("surrogate", "clip", {"epsilon": -1}, "greater than"),
        ("advantage", "group", {"scale": "grup"}, "'group', 'batch' or 'none'"),
        ("modifiers", "turn_returns", {"gamma": 1.5}, "less than or equal to 1"),
        ("aggregator", "lexicographic", {"order": "a"}, "order is 'a'"),
    ],
)
def test_what_a_component_does_not_take_is_refused_with_its_place(kind, name, parameters, said):
    with pytest.raises(RecipeError) as refused:
        make_component(kind, name, parameters)
    assert said in str(refused.value)
