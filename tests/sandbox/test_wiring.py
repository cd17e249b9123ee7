import subprocess
import sys
from pathlib import Path

import pytest

from sandbox.backends import make_backend
from sandbox.backends.scripted import ScriptedBackend
from sandbox.cluster.settings import ClusterSettings, RaySettings
from sandbox.errors import SandboxUnavailableError
from sandbox.settings import SandboxSettings
from schemas.extras import how_to_install


def test_the_local_backend_refuses_code_that_nobody_vouched_for() -> None:
    with pytest.raises(SandboxUnavailableError, match="TRUST_LOCAL_CODE=true"):
        make_backend("local", SandboxSettings(trust_local_code=False))


def test_an_unknown_backend_is_refused_with_the_known_ones() -> None:
    with pytest.raises(SandboxUnavailableError, match="docker, local, scripted"):
        make_backend("kvm")


def test_scripted_needs_nothing() -> None:
    assert isinstance(make_backend("scripted"), ScriptedBackend)


def test_ray_is_not_loaded_before_it_is_asked_for_and_its_absence_says_what_to_install() -> None:
    script = """
import sys
import sandbox.backends, sandbox.blocking, sandbox.cli
assert "ray" not in sys.modules
sys.modules["ray"] = None  # as where it is not installed
sandbox.cli.main(["conformance", "--backend", "ray"])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (8, "")
    assert done.stderr == f"error: a sandbox of many machines needs the package ray: {how_to_install('ray')}\n"


def test_every_setting_of_many_machines_is_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "how_to" / "many_machines.md").read_text()
    fields = [*RaySettings.model_fields, *ClusterSettings.model_fields]
    assert [name for name in fields if f"`{name.upper()}`" not in page] == []
