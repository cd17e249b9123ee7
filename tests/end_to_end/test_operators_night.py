"""An operator's night: backup, a loss, restore, leftovers, an upgrade, figures; each time what a browser then shows."""

import shutil
import tarfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from hub_server.admin.command import app as admin_command
from hub_server.database.engine import Database
from hub_server.database.schema_steps import upgrade
from schemas.names import digest_of
from tests.end_to_end.test_days import PACKAGE, as_operator, log_in, shell_of
from tests.making.browser_visits import MARKS, FilledHub, Visit, filled_hub
from tests.making.hub import METRICS_TOKEN, make_package, run_jobs

pytestmark = MARKS
OLD_HUB = Path(__file__).parents[1] / "hub_server" / "database" / "hub_0_7_0.tar.gz"


def get(url: str, token: str = "") -> httpx.Response:
    return httpx.get(url, headers={"Authorization": f"Bearer {token}"} if token else {}, timeout=120)


def test_what_was_backed_up_is_shown_again_and_what_came_later_is_gone(
    visit: Callable[..., Visit],
    chromium: Any,
    shown_hub: FilledHub,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A backup of a running hub, a publish after it, and the hub of the backup on an empty machine."""
    nina = shell_of(shown_hub, "nina")
    nina.publish(make_package("nina/before"))
    run_jobs(shown_hub.services)
    with as_operator(shown_hub.services, monkeypatch) as admin:
        assert "blobs" in admin("backup", str(tmp_path / "backup"), "--copy").output
    nina.publish(make_package("nina/after"))
    reader = visit()
    reader.go("/packages/nina/after")

    monkeypatch.undo()
    again = tmp_path / "again"
    done = CliRunner().invoke(admin_command, ["restore", str(tmp_path / "backup"), "--data", str(again / "data")])
    assert done.exit_code == 0, done.output
    (again / "data" / "hub.sqlite3").rename(again / "hub.sqlite3")  # where hubs of tests have it
    with filled_hub(again, tmp_path / "second") as second:
        owner = Visit(chromium, second)
        owner.go(PACKAGE)
        owner.go(f"{PACKAGE}/releases/1.1.0/code/alice_small_sums/__init__.py")
        owner.sees("def verify")
        log_in(owner, "nina")
        owner.go("/packages/nina/before")
        owner.go("/packages/nina/after")
        owner.sees("There is no package nina/after on this hub.")
        assert owner.faults == []
        owner.close()
        release = get(f"{second.url}/api/v1/packages/nina/before/releases/1.0.0").json()
        wheel = get(f"{second.url}/api/v1/packages/nina/before/releases/1.0.0/wheel")
        assert digest_of(wheel.content) == release["digest"], "byte for byte"


def test_leftovers_go_and_every_page_still_has_its_bytes(
    visit: Callable[..., Visit], shown_hub: FilledHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leftover = tmp_path / "leftover"
    leftover.write_bytes(b"a publish that broke off")
    digest = digest_of(leftover.read_bytes())
    shown_hub.services.blobs.put_file(leftover, digest)
    with as_operator(shown_hub.services, monkeypatch) as admin:
        shown_hub.services.clock.advance(timedelta(days=30).total_seconds())  # type: ignore[attr-defined]
        assert digest in admin("gc", "--grace-hours", "1", "--dry-run").output
        assert shown_hub.services.blobs.exists(digest), "it was only listed"
        assert digest in admin("gc", "--grace-hours", "1").output
        assert not shown_hub.services.blobs.exists(digest)
        assert "0 blobs" in admin("gc", "--grace-hours", "1").output
        admin("fsck")
    reader = visit()
    for path in (PACKAGE, f"{PACKAGE}/releases/1.0.0/code", f"{PACKAGE}/releases/1.1.0/tasks"):
        reader.go(path)


def test_figures_are_for_monitoring_alone_and_follow_what_people_do(
    visit: Callable[..., Visit], shown_hub: FilledHub
) -> None:
    url = f"{shown_hub.url}/metrics"
    assert get(url).status_code in {401, 403, 404}, "figures are not everybody's"
    before = get(url, METRICS_TOKEN)
    assert before.status_code == 200
    reader = visit()
    reader.go(PACKAGE)
    shell_of(shown_hub, "otto").publish(make_package("otto/sums"))
    waiting = get(url, METRICS_TOKEN).text
    assert figure(waiting, 'verihub_jobs{state="queued"}') > figure(before.text, 'verihub_jobs{state="queued"}')
    reader.go("/packages/otto/sums")
    reader.sees("Waiting to be measured")
    run_jobs(shown_hub.services)
    done = get(url, METRICS_TOKEN).text
    assert figure(done, 'verihub_jobs{state="queued"}') < figure(waiting, 'verihub_jobs{state="queued"}')
    reader.go("/packages/otto/sums")
    assert get(f"{shown_hub.url}/readyz").status_code == 200


def figure(text: str, name: str) -> float:
    """The value of one line; 0 where there is none."""
    return next((float(line.rpartition(" ")[2]) for line in text.splitlines() if line.startswith(f"{name} ")), 0.0)


def test_a_hub_of_an_old_version_is_shown_by_this_one(chromium: Any, tmp_path: Path) -> None:
    """The database of version 0.7.0 is brought to this version's, as every start does, and then looked at."""
    old = tmp_path / "old"
    with tarfile.open(OLD_HUB) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # Python 3.11.2 of Debian 12 has none
        archive.extractall(old)
    shutil.rmtree(old / "data" / "keys", ignore_errors=True)
    upgrade_in(old)
    with filled_hub(old, tmp_path / "new") as hub:
        reader = Visit(chromium, hub)
        for path in ("/", "/packages", PACKAGE, f"{PACKAGE}/releases/1.1.0/audit", f"{PACKAGE}/discussions", "/runs"):
            reader.go(path)
        log_in(reader, "alice")
        reader.go("/account")
        reader.go("/packages/alice/secret")
        assert reader.faults == []
        reader.close()


def upgrade_in(folder: Path) -> None:
    """Bring the database of a folder to this version."""
    database = Database(f"sqlite:///{folder / 'hub.sqlite3'}")
    upgrade(database)
    database.close()
