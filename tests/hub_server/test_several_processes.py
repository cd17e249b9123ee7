"""One hub of two web processes and four workers on PostgreSQL and S3: each goes on where another was killed, and nothing
that was acknowledged is lost.
"""

import itertools
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from hub_server.adapters.ed25519_signer import Ed25519Signer
from scripts.load_test import LoadTest
from scripts.load_test import main as load_test_command
from tests.making.free_ports import free_port
from tests.making.hub_processes import HubProcess, Postgres, Store, names_of, wait_until
from tests.making.nginx import Nginx, composed_server, fitted

pytestmark = [pytest.mark.postgres, pytest.mark.slow]
LOGINS = 40


class Machines:
    """The whole hub."""

    def __init__(self, folder: Path) -> None:
        self.database, self.store = Postgres(), Store()
        Ed25519Signer(folder / "signing.pem", make=True)
        environment = {
            **self.store.environment,
            "VERIHUB_SERVER_STORAGE__DATABASE_URL": self.database.url,
            "VERIHUB_SERVER_STORAGE__POOL_SIZE": "8",
            "VERIHUB_SERVER_SIGNING_KEY": str(folder / "signing.pem"),
            "VERIHUB_SERVER_SANDBOX__BACKEND": "local",
            "VERIHUB_SERVER_SANDBOX__TRUSTED": "true",
            "VERIHUB_SERVER_LIMITS__LOGINS_BURST": str(LOGINS),
            "VERIHUB_SERVER_LIMITS__LOGINS_PER_SECOND": "0.000001",
            "VERIHUB_SERVER_WORKER__LEASE_SECONDS": "3",
            "VERIHUB_SERVER_STOP_SECONDS": "2",
        }
        self.webs = [
            HubProcess("serve", environment, folder / f"web{number}", port=free_port(), no_worker=True)
            for number in range(2)
        ]
        self.workers = [HubProcess("worker", environment, folder / f"worker{number}", threads=1) for number in range(4)]

    def start(self) -> None:
        first, *others = (*self.webs, *self.workers)
        for part in (self.database, self.store, first):  # the first one migrates the database
            part.start()
        for process in others:
            process.launch()
        for process in others:
            process.await_ready()

    def end(self) -> None:
        for process in (*self.webs, *self.workers):
            process.kill()
        self.store.stop()
        self.database.remove()


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    made = Machines(tmp_path_factory.mktemp("machines"))
    try:
        made.start()
        yield made
    finally:
        made.end()


def test_what_is_killed_in_turn_loses_nothing_that_was_acknowledged(machines: Machines) -> None:
    # Not as fast as it goes: the workers have enough to do, and each release more is one more audit to wait for, of some
    # two seconds of CPU.
    load = LoadTest([web.url for web in machines.webs], pause_seconds=2.0)
    load.start(readers=1, publishers=2, scorers=0, runs=1)

    def pages_read() -> int:
        with load.book.lock:
            return sum(len(times) for act, times in load.book.seconds.items() if act.startswith("read "))

    def goes_on() -> None:
        """Further releases, runs and pages are answered after what has just happened."""
        before = len(load.book.releases), sum(load.book.points.values()), pages_read()
        wait_until(
            lambda: (
                len(load.book.releases) > before[0] + 1
                and sum(load.book.points.values()) > before[1]
                and pages_read() > before[2]
            ),
            f"going on: {load.book.refusals} {load.book.faults}",
        )

    goes_on()
    machines.webs[0].kill()
    goes_on()  # by the other one
    machines.webs[0].start()
    machines.workers[0].kill()
    goes_on()
    machines.database.kill()
    machines.database.start()
    goes_on()
    machines.store.stop()
    refused = load.book.refusals.copy()
    wait_until(lambda: load.book.refusals["publish", "503"] > refused["publish", "503"], "a publish that is refused")
    machines.store.start()
    goes_on()
    machines.workers[0].start()
    load.stop()
    assert dict(load.book.faults) == {}
    assert load.lost() == []
    _everything_is_measured_once(machines, load)


def _everything_is_measured_once(machines: Machines, load: LoadTest) -> None:
    packages = sorted({package for package, _ in load.book.releases})
    urls = itertools.cycle(web.url for web in machines.webs)
    for package in packages:
        card = wait_until(
            lambda package=package: (
                found := httpx.get(f"{next(urls)}/api/v1/packages/{package}", timeout=60).json()["card"]
            )["audit_state"] == "done" and found,
            f"{package} measured",
        )  # fmt: skip
        assert card["audit"]["case_count"] >= 2
    done = Counter(job for worker in machines.workers for job in names_of(worker.log))
    assert [job for job, count in done.items() if count > 1] == []
    assert sum(bool(names_of(worker.log)) for worker in machines.workers) >= 2  # the work was shared


def test_a_session_of_one_process_is_good_at_the_other_and_limits_are_counted_together(machines: Machines) -> None:
    first, second = (web.url for web in machines.webs)
    account = {"name": "carol", "email": "carol@example.org", "password": "a password of hers"}
    token = httpx.post(f"{first}/api/v1/accounts", json=account, timeout=60).json()["token"]
    headers = {"Authorization": f"Bearer {token}"}
    assert httpx.get(f"{second}/api/v1/account", headers=headers, timeout=60).json()["name"] == "carol"
    body = {"name": "carol", "password": "not this one, surely"}
    # From an address of its own: what is used up here stays used up, and the other tests sign up as well.
    with httpx.Client(transport=httpx.HTTPTransport(local_address="127.0.0.2"), timeout=60) as elsewhere:
        answers = Counter(
            elsewhere.post(f"{url}/api/v1/login", json=body).status_code
            for url, _ in zip(itertools.cycle((first, second)), range(2 * LOGINS), strict=False)
        )
    assert answers == {401: LOGINS, 429: LOGINS}


def test_a_load_test_says_why_a_hub_takes_no_accounts(monkeypatch: pytest.MonkeyPatch) -> None:
    """It asked for ever where a hub's limit on sign-ups was used up."""
    monkeypatch.setattr("scripts.load_test._START_SECONDS", 0.0)
    load = LoadTest([f"http://127.0.0.1:{free_port()}"])
    with pytest.raises(RuntimeError, match=r"no account could be made within .*ConnectError"):
        load.start(readers=0, publishers=0, scorers=0, runs=0)
    load.stop()


def test_a_load_test_of_no_hub_says_so_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("scripts.load_test._START_SECONDS", 0.0)
    monkeypatch.setattr("sys.argv", ["load_test", f"http://127.0.0.1:{free_port()}"])
    assert load_test_command() == 1
    assert capsys.readouterr().err.startswith("scripts/load_test: no account could be made within ")


def test_behind_the_proxy_of_the_compose_file_a_process_may_be_killed_at_any_time(
    machines: Machines, tmp_path: Path
) -> None:
    port = free_port()
    servers = "".join(f"server {web.url.removeprefix('http://')}; " for web in machines.webs)
    changes = {
        "resolver 127.0.0.11 valid=5s;": f"upstream web {{ {servers}}}",
        "listen 80;": f"listen 127.0.0.1:{port};",
        "http://web:8642;": "http://web;",
    }
    with Nginx(tmp_path / "nginx", fitted(composed_server(), changes), f"http://127.0.0.1:{port}") as proxy:
        with proxy.client() as client:
            assert client.get("/metrics").status_code == 403
        load = LoadTest([proxy.url], pause_seconds=0.5)
        load.start(readers=2, publishers=1, scorers=0, runs=0)

        def goes_on() -> None:
            before = len(load.book.releases)
            wait_until(lambda: len(load.book.releases) > before + 1, f"published: {load.book.refusals}")

        goes_on()
        for web in machines.webs:
            web.kill()
            goes_on()
            web.start()
            goes_on()
        load.stop()
        assert load.lost() == []
        # What a killed process was answering is the proxy's 502; the next request goes to the other one.
        assert all(fault.startswith("502") for _, fault in load.book.faults), load.book.faults
        assert load.book.faults.total() <= 20, load.book.faults


def test_a_process_that_is_told_to_stop_ends_by_itself(machines: Machines) -> None:
    assert machines.webs[1].stop() == 0
    assert machines.workers[3].stop() == 0
    machines.webs[1].start()
    machines.workers[3].start()
