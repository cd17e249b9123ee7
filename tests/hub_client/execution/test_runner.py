"""The interface and those who fill it: each way to run a package has every method, under the same names."""

import inspect

import pytest

from hub_client.execution.here import LocalRunner
from hub_client.execution.on_hub import HubRunner
from hub_client.execution.runner import Runner

METHODS = [name for name, value in vars(Runner).items() if inspect.isfunction(value) and not name.startswith("_")]
FILLED_BY = pytest.mark.parametrize("kind", [LocalRunner, HubRunner])


def named(function):
    """Parameters that a caller may give by name, with their defaults; those before ``/`` go by place."""
    found = list(inspect.signature(function).parameters.values())[1:]
    by_place = [one for one in found if one.kind is inspect.Parameter.POSITIONAL_ONLY]
    return {one.name: one.default for one in found[len(by_place) :]}, len(by_place)


@FILLED_BY
@pytest.mark.parametrize("name", METHODS)
def test_a_caller_may_take_either_for_the_other(kind, name):
    wanted, by_place = named(vars(Runner)[name])
    offered = list(inspect.signature(getattr(kind, name)).parameters.values())[1 + by_place :]
    assert {one.name: one.default for one in offered if one.name in wanted} == wanted
    assert all(one.default is not inspect.Parameter.empty for one in offered if one.name not in wanted)


def test_each_says_where_it_runs():
    assert (LocalRunner.place, HubRunner.place) == ("here", "hub")
