"""The contract between the host's side and its backends: what a box is, and who may open one."""

import re
from dataclasses import FrozenInstanceError, fields, replace
from pathlib import Path
from typing import Any

import pytest

from sandbox.backends.docker.backend import DockerBackend
from sandbox.backends.local.backend import LocalBackend
from sandbox.backends.scripted import ScriptedBackend
from sandbox.guest.call import VERIFY_NAMES
from sandbox.interface import Backend, BoxResources, BoxRole, BoxSpec, Call, Connection, Measured, Source
from schemas.manifest import Manifest
from schemas.verdict import ScoreRequest
from tests.sandbox.guests import ToldBackend, ToldConnection
from tests.sandbox.protocols import differences

RESOURCES = BoxResources(BoxRole.VERIFIER, 256)
MANIFEST = 'format = 1\nid = "al/tiny"\nkind = "verifier"\nverifier = "al_tiny:verify"\n[rewards.correct]\n'


@pytest.mark.parametrize("backend", [DockerBackend, LocalBackend, ScriptedBackend, ToldBackend])
def test_every_backend_keeps_the_contract(backend: type) -> None:
    assert differences(Backend, backend) == []


def test_a_scripted_line_is_a_line() -> None:
    """What tests take for a box must be asked as a box is."""
    assert differences(Connection, ToldConnection, "layout") == []


def test_a_backend_is_known_by_its_methods(scripted_backend: ScriptedBackend) -> None:
    assert isinstance(scripted_backend, Backend)
    assert not isinstance(object(), Backend)
    assert not isinstance(scripted_backend, Measured)


# -- resources --------------------------------------------------------------------------------------------------------


def _other(value: Any) -> Any:
    return BoxRole.SOLUTION if isinstance(value, BoxRole) else value * 2 + 1


@pytest.mark.parametrize("name", [field.name for field in fields(BoxResources)])
def test_no_two_policies_share_a_label(name: str) -> None:
    """A box is found again by the digest of its resources: one with other limits must not be taken for it."""
    other = replace(RESOURCES, **{name: _other(getattr(RESOURCES, name))})
    assert other.digest != RESOURCES.digest


def test_a_policy_has_one_label_wherever_it_is_made() -> None:
    assert RESOURCES.digest == BoxResources(BoxRole.VERIFIER, 256).digest
    assert re.fullmatch(r"[0-9a-f]{12}", RESOURCES.digest)


def test_a_policy_cannot_be_changed_once_boxes_are_opened_by_it() -> None:
    with pytest.raises(FrozenInstanceError):
        RESOURCES.memory_mb = 1 << 20  # type: ignore[misc]


# -- boxes -----------------------------------------------------------------------------------------------------------


def test_a_box_has_the_python_of_its_release() -> None:
    source = Source("sha256:x", Path("x.whl"), Manifest.from_toml(MANIFEST), python="3.13")
    assert BoxSpec(BoxRole.VERIFIER, RESOURCES, source).python == "3.13"
    assert BoxSpec(BoxRole.VERIFIER, RESOURCES, source, solution_python="3.11").python == "3.13"


def test_a_solution_box_has_no_source_and_the_python_that_was_asked_for() -> None:
    spec = BoxSpec(BoxRole.SOLUTION, RESOURCES, solution_python="3.13")
    assert spec.source is None
    assert spec.python == "3.13"


# -- calls -----------------------------------------------------------------------------------------------------------


def test_a_call_has_what_a_request_has_and_a_verifier_can_name_all_of_it() -> None:
    names = {field.name for field in fields(Call)}
    assert names | {"task_id", "split"} == set(ScoreRequest.model_fields)  # those name a task instead of bringing it
    assert names - {"id"} | {"info"} == set(VERIFY_NAMES)


def test_a_call_needs_nothing_but_a_task() -> None:
    call = Call("1", {"id": "t"})
    assert {name: getattr(call, name) for name in ("response", "messages", "state", "files")} == dict.fromkeys(
        ("response", "messages", "state", "files")
    )


def test_only_the_hash_seed_is_in_a_boxs_environment() -> None:
    source = Source("sha256:x", Path("x.whl"), Manifest.from_toml(MANIFEST))
    assert BoxSpec(BoxRole.SOLUTION, RESOURCES).environment == ("PYTHONHASHSEED=0",)
    assert BoxSpec(BoxRole.VERIFIER, RESOURCES, source).environment == ("PYTHONHASHSEED=0",)
    assert BoxSpec(BoxRole.VERIFIER, RESOURCES, replace(source, hash_seed=2)).environment == ("PYTHONHASHSEED=2",)
