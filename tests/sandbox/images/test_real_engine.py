"""Images in a Docker engine: what the base must not hold, and that a package's image runs."""

import json
from multiprocessing import get_context

import pytest

from sandbox.backends.docker.engine import DockerEngine
from sandbox.errors import SandboxUnavailableError
from sandbox.images.base import ensure_base
from sandbox.images.image_builder import ensure_guest_image, ensure_image
from sandbox.images.layers import tar_of
from sandbox.images.settings import ImageSettings

pytestmark = [pytest.mark.docker, pytest.mark.slow, pytest.mark.together("docker-images")]


@pytest.fixture(scope="module")
def docker():
    engine = DockerEngine()
    try:
        engine.architecture()
    except SandboxUnavailableError as error:
        pytest.skip(str(error))
    yield engine
    engine.close()


@pytest.fixture(scope="module")
def base(docker):
    return ensure_base(docker, ImageSettings())


def run(docker, reference, code, *arguments):
    return docker.run_once(reference, ["python3", "-I", "-S", "-c", code, *arguments], tar_of({}), 60).decode()


def test_the_base_holds_no_setuid_file_no_packager_and_no_compiler(docker, base):
    code = """
import json, os, stat
bad = []
for folder, _, names in os.walk("/"):
    if folder.startswith(("/proc", "/sys", "/dev")):
        continue
    for name in names:
        path = os.path.join(folder, name)
        mode = os.lstat(path).st_mode
        if stat.S_ISREG(mode) and mode & (stat.S_ISUID | stat.S_ISGID):
            bad.append(path)
        if name in ("pip", "pip3", "apt", "apt-get", "dpkg", "gcc", "cc", "su", "mount", "perl"):
            bad.append(path)
print(json.dumps(bad))
"""
    assert json.loads(run(docker, base.references[0], code)) == []


def test_the_base_has_the_standard_library_with_byte_code(docker, base):
    code = """
import asyncio, ctypes, decimal, fractions, hashlib, json, lzma, multiprocessing, sqlite3, ssl, statistics, unittest, zoneinfo
zoneinfo.ZoneInfo("Europe/Paris")
print(all(__import__("os").path.exists(module.__cached__) for module in (asyncio, decimal, json, unittest)))
"""
    assert run(docker, base.references[0], code).strip() == "True"


def test_an_image_runs_with_package_guest_and_dependencies(docker, base, settings, make_source, make_dependency):
    source = make_source(lock=(make_dependency(),))
    built = ensure_image(source, docker, settings)
    try:
        code = """
import sys
sys.dont_write_bytecode = True
sys.path[:0] = ["/verihub/guest", "/verihub/package", "/verihub/dependencies"]
import al_tiny, dep, os
print(al_tiny.verify({}), dep.VALUE, os.path.exists(dep.__cached__), os.access("/verihub/package", os.W_OK))
"""
        assert run(docker, built.reference, code).strip() == "{'correct': 1.0} 1 True False"
        assert docker.find(built.reference).image_id == built.image_id
    finally:
        docker.remove(built.reference)


def _build(arguments):
    source, settings = arguments
    return ensure_image(source, DockerEngine(), settings)


def test_processes_at_the_same_time_get_the_same_image(docker, base, settings, make_source):
    source = make_source(code="answer = 42\n")
    with get_context("spawn").Pool(3) as pool:
        built = set(pool.map(_build, [(source, settings)] * 3))
    assert len(built) == 1
    docker.remove(built.pop().reference)


def test_a_solution_image_holds_no_package(docker, base, settings):
    built = ensure_guest_image(docker, settings)
    code = "import os; print(sorted(os.listdir('/verihub')))"
    assert run(docker, built.reference, code).strip() == "['guest']"
