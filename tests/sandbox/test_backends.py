import pytest

from sandbox.backends import make_backend
from sandbox.backends.scripted import ScriptedBackend
from sandbox.errors import SandboxUnavailableError
from sandbox.settings import SandboxSettings


def test_the_local_backend_refuses_code_that_nobody_vouched_for() -> None:
    with pytest.raises(SandboxUnavailableError, match="TRUST_LOCAL_CODE=true"):
        make_backend("local", SandboxSettings(trust_local_code=False))


def test_an_unknown_backend_is_refused_with_the_known_ones() -> None:
    with pytest.raises(SandboxUnavailableError, match="docker, local, scripted"):
        make_backend("kvm")


def test_scripted_needs_nothing() -> None:
    assert isinstance(make_backend("scripted"), ScriptedBackend)
