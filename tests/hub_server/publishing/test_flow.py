"""A publish, followed through the code while it runs: which modules it passes, as the architecture page lists them."""

import re
import sys
import threading
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import hub_server
from hub_server.kernel.services import Services
from tests.making.hub import Api, make_package

SERVER = Path(hub_server.__file__).parent
ROOT = SERVER.parent
PAGE = ROOT / "docs" / "explanation" / "architecture.md"
WRAPS = "database/asked_once.py"  # a decorator of queries: what it calls is the query that it stands at
MOST_MODULES = 24  # four of them sign the publish and enter it in the journal
PATH = re.compile(r"`hub_server/([a-z_/0-9]+\.py)`")


class Trace:
    """Modules of the hub that ran, and which of them called which."""

    def __init__(self) -> None:
        self.modules: set[str] = set()
        self.calls: set[tuple[str, str]] = set()

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        module = _module(frame) if event == "call" and frame.f_code.co_name != "<module>" else None
        if module is None:
            return
        self.modules.add(module)
        back = frame.f_back
        while back is not None and _module(back) is None:
            back = back.f_back
        if back is not None:
            self.calls.add((str(_module(back)), module))


def _module(frame: FrameType) -> str | None:
    file = Path(frame.f_code.co_filename)
    return file.relative_to(SERVER).as_posix() if file.is_relative_to(SERVER) else None


@contextmanager
def traced() -> Iterator[Trace]:
    """Follow this thread and all that begin meanwhile: a request of the test client runs in fresh ones."""
    trace = Trace()
    threading.setprofile(trace)
    sys.setprofile(trace)
    try:
        yield trace
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def _section(title: str) -> str:
    return PAGE.read_text().partition(f"### {title}\n")[2].partition("\n### ")[0]


def _layer_of() -> Callable[[str], int]:
    """The layer of a module of the hub by the import contract; the highest is 0."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = next(one["layers"] for one in contracts if one["id"] == "server-layers")
    number = {name.strip(): at for at, layer in enumerate(layers) for name in layer.split("|")}
    return lambda module: number[module.partition("/")[0].removesuffix(".py")]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_publish_passes_the_modules_that_the_page_lists_and_never_calls_upwards(
    alice: Api, services: Services
) -> None:
    with traced() as every_request:
        assert alice.get("/api/v1/account").status_code == 200
    with traced() as publish:
        assert alice.publish(make_package()).status_code == 201
    answers = {"accounts/routes.py", "accounts/actions/organizations.py", "accounts/actions/accounts.py"}
    frame = every_request.modules - answers
    own = publish.modules - frame
    assert sorted(own) == sorted(set(PATH.findall(_section("Publishing, step by step"))))
    assert len(own) <= MOST_MODULES
    layer = _layer_of()
    upwards = {
        (caller, called)
        for caller, called in publish.calls
        if called in own and layer(called) < layer(caller) and "routes" not in called and caller != WRAPS
    }
    assert upwards == set()
    assert sorted(frame) == sorted(set(PATH.findall(_section("What every request passes"))))
