"""What a user may lack, and what `verihub doctor` says to do about each."""

import importlib.util
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from hub_client.commands import doctor
from schemas.extras import how_to_install


def _findings(said) -> dict[str, dict[str, object]]:
    return {item["name"]: item for item in said.json["findings"]}


def test_a_hub_that_is_not_there_is_the_first_thing_to_mend(verihub) -> None:
    said = verihub("doctor", "--url", "http://127.0.0.1:9", "--format", "json")
    assert said.code == 6
    hub = _findings(said)["hub"]
    assert (hub["ok"], hub["needed"]) == (False, True)
    assert "start one with `verihub serve`" in hub["detail"]
    assert json.loads(said.err)["message"].startswith("missing here: hub")
    people = verihub("doctor", "--url", "http://127.0.0.1:9")
    assert "MISSING hub" in people.out
    assert "each line above says what to do" in people.err


def test_offline_nobody_is_asked(verihub) -> None:
    said = verihub("doctor", "--offline", "--format", "json")
    assert said.code == 0
    assert _findings(said)["hub"]["detail"] == "not asked: --offline"


def test_no_token_is_fine_and_a_wrong_one_is_not(verihub, hub_address: str, monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setenv("VERIHUB_CONFIG_DIR", str(tmp_path))
    monkeypatch.delenv("VERIHUB_TOKEN", raising=False)
    nobody = verihub("doctor", "--url", hub_address, "--format", "json")
    assert nobody.code == 0
    assert "publishing and running need `verihub login`" in _findings(nobody)["token"]["detail"]
    monkeypatch.setenv("VERIHUB_TOKEN", "vh_" + "0" * 40)
    wrong = verihub("doctor", "--url", hub_address, "--format", "json")
    assert wrong.code == 6
    token = _findings(wrong)["token"]
    assert (token["ok"], token["needed"]) == (False, True)
    assert "revoked, or has expired" in token["detail"]
    assert _findings(wrong)["hub"]["ok"]


@contextmanager
def _hub_of_another_time(ahead_seconds: float) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = b'{"items": [], "next": null}' if "/packages" in self.path else b"{}"
            self.send_response_only(200)
            self.send_header("Date", formatdate(time.time() + ahead_seconds, usegmt=True))
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(("ahead", "words"), [(7200, "behind the hub"), (-7200, "ahead of the hub"), (5, None)])
def test_clocks_that_disagree_are_named(verihub, ahead: float, words: str | None) -> None:
    with _hub_of_another_time(ahead) as url:
        clock = _findings(verihub("doctor", "--url", url, "--format", "json")).get("clock")
    assert (words is None) is (clock is None)
    if clock is not None:
        assert words in clock["detail"]
        assert "timedatectl" in clock["detail"]


def test_a_cache_that_cannot_be_written_is_named(verihub, monkeypatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("VERIHUB_CACHE_DIR", str(tmp_path / "file" / "cache"))
    said = verihub("doctor", "--offline", "--format", "json")
    assert said.code == 6
    assert "set VERIHUB_CACHE_DIR" in _findings(said)["cache"]["detail"]


def test_a_backend_that_may_not_run_says_what_it_wants(verihub, monkeypatch) -> None:
    monkeypatch.delenv("VERIHUB_SANDBOX_TRUST_LOCAL_CODE", raising=False)
    said = verihub("doctor", "--offline", "--format", "json")
    assert said.code == 6
    assert "TRUST_LOCAL_CODE=true if you wrote or read all of it" in _findings(said)["sandbox"]["detail"]
    monkeypatch.setenv("VERIHUB_RUN_AT", "hub")
    assert verihub("doctor", "--offline").code == 0, "where the hub runs packages, no sandbox is needed here"


def test_an_extra_that_is_not_installed_comes_with_its_command(verihub, monkeypatch) -> None:
    monkeypatch.setattr(doctor, "find_spec", lambda name: None if name == "ray" else importlib.util.find_spec(name))
    ray = _findings(verihub("doctor", "--offline", "--format", "json"))["ray"]
    assert ray == {
        "name": "ray",
        "ok": False,
        "detail": f"not installed; for boxes on a cluster: {how_to_install('ray')}",
        "needed": False,
    }


@pytest.mark.parametrize(
    ("hidden", "command", "code", "words"),
    [
        (
            "docker,prometheus_client",
            ["doctor", "--offline"],
            0,
            f"{how_to_install('sandbox')}, or let the hub run packages",
        ),
        ("mcp", ["mcp", "."], 2, f"`verihub mcp` needs mcp: {how_to_install('mcp')}"),
        ("fastapi", ["serve"], 2, f"`verihub serve` needs fastapi: {how_to_install('server')}"),
    ],
    ids=["sandbox", "mcp", "server"],  # the words name this checkout's folder
)
def test_a_core_that_has_no_extras_says_which_one_a_command_needs(
    tmp_path: Path, hidden: str, command: list[str], code: int, words: str
) -> None:
    """In a process of its own, where the extras' modules cannot be imported."""
    hide = tmp_path / "hide.py"
    hide.write_text(
        "import sys\n"
        "class Hidden:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] in sys.argv[1].split(','):\n"
        "            raise ModuleNotFoundError(f'No module named {name!r}', name=name)\n"
        "sys.meta_path.insert(0, Hidden())\n"
        "from hub_client.commands.main import run\n"
        "sys.exit(run(sys.argv[2:]))\n"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith("VERIHUB_")}
    environment |= {"VERIHUB_CACHE_DIR": str(tmp_path / "cache"), "VERIHUB_CONFIG_DIR": str(tmp_path / "config")}
    done = subprocess.run([sys.executable, str(hide), hidden, *command], env=environment, capture_output=True, text=True,
                          check=False, timeout=240)  # fmt: skip
    assert done.returncode == code, done
    assert words in done.stdout + done.stderr
    assert "bug in Verihub" not in done.stderr
