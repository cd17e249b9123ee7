"""The limits of a box are the operator's settings, and have no defaults of their own."""

import dataclasses
import inspect

from sandbox.host.box_limits import BoxLimits
from sandbox.host.solution_relay import Allowance
from sandbox.settings import SandboxSettings


def test_each_limit_is_a_setting() -> None:
    settings = SandboxSettings(
        grace_seconds=1.5,
        start_timeout_seconds=2.5,
        solution_timeout_seconds=3.5,
        solution_patience_seconds=4.5,
        box_call_groups=5,
        box_lifetime_seconds=6.5,
    )
    assert dataclasses.astuple(BoxLimits.of(settings)) == (1.5, 2.5, 3.5, 4.5, 5, 6.5)


def test_a_default_is_said_in_the_settings_alone() -> None:
    parameters = inspect.signature(BoxLimits).parameters.values()
    assert [one.name for one in parameters if one.default is not inspect.Parameter.empty] == []


def test_what_calls_may_use_for_solutions_follows_the_limits() -> None:
    limits = BoxLimits.of(SandboxSettings(solution_timeout_seconds=7.0, solution_patience_seconds=11.0))
    assert limits.allowance(30.0, 4) == Allowance.of(30.0, 4, 7.0, 11.0)
