"""A hub from Python: what is a folder and what a reference, and what is refused before anything is asked."""

from pathlib import Path

import httpx
import pytest

from hub_client.client import Hub, parse_reference, project_folder
from hub_client.errors import (
    AuditLimitError,
    CheckFailedError,
    HubUnreachableError,
    IntegrityError,
    NotFoundError,
    UsageError,
)
from hub_client.releases.resolve import LoadedPackage
from hub_client.settings import ClientSettings
from hub_client.transport.requests import accounts
from schemas.evidence.audit import AuditRecord
from schemas.known_audit import AuditLimits
from schemas.page import Page
from schemas.wheels.wheel import read_wheel
from tests.making.known_audits import measured, report_of
from tests.making.scripted_hub import NOW, URL, ScriptedHub
from tests.making.wheel import MANIFEST, make_wheel


@pytest.fixture
def hub():
    asked = []

    def handler(request):
        asked.append(request)
        return httpx.Response(404, json={"title": "No", "status": 404, "code": "package_not_found", "detail": "none"})

    with Hub(settings=ClientSettings(url="http://hub.example"), transport=httpx.MockTransport(handler)) as made:
        made.asked = asked
        yield made


def loaded(manifest):
    contents = read_wheel(make_wheel(manifest=manifest))
    return LoadedPackage("alice/small-sums", "1.0.0", contents.digest, Path("x.whl"), contents)


@pytest.mark.parametrize("text", ["./there", "../there", "/nowhere/at/all", "~/nowhere-at-all"])
def test_what_is_written_as_a_path_must_be_a_folder(text, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NotFoundError, match="not a folder"):
        project_folder(text)


def test_a_folder_is_one_by_its_spelling_or_by_the_project_in_it(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/pyproject.toml").touch()
    assert [project_folder(text) for text in (".", "empty", "mine")] == [Path(), None, Path("mine")]


@pytest.mark.parametrize("text", ["nonsense", "a/b/c", "Alice/x", "alice/x@not a version", "", "alice/x@1.0+local"])
def test_what_is_no_reference_is_said_with_what_would_be(text) -> None:
    with pytest.raises(UsageError, match="name a project folder"):
        parse_reference(text, or_folder=True)


def test_a_folder_is_not_offered_where_only_a_package_of_the_hub_will_do(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "maze").mkdir()
    with pytest.raises(UsageError, match="a folder cannot be used here"):
        parse_reference("./maze")
    with pytest.raises(UsageError) as said:
        parse_reference("nowhere")
    assert "folder" not in str(said.value)


def test_offline_asks_nobody(hub) -> None:
    hub.settings = hub.settings.model_copy(update={"offline": True})
    with pytest.raises(HubUnreachableError, match="--offline forbids"):
        hub.send(accounts.whoami())
    assert hub.asked == []


def test_a_package_without_tasks_is_no_environment(hub) -> None:
    manifest = MANIFEST.replace('kind = "environment"', 'kind = "verifier"').replace(
        'tasks = { train = "tasks.jsonl" }\n', ""
    )
    package = loaded(manifest.replace('audit = ["audit.jsonl"]\n', ""))
    with pytest.raises(CheckFailedError, match=r"without tasks, no environment; .*hub\.verifier"):
        hub.environment_of(package)
    assert hub.verifier_of(package).rewards.keys() == {"correct"}


def audits_of(contents, *, digest=None, done=True):
    """A hub's list: an audit that still runs, and perhaps one that ended. 3 of 100 wrong answers were accepted."""
    report = report_of(measured(3, 100, 0, 100), digest=digest or contents.digest)
    record = AuditRecord(
        id="a1", package="alice/small-sums", version="1.0.0", state="done", created_at=NOW, report_digest="sha256:1"
    )
    items = [record.model_copy(update={"id": "a2", "state": "running"})]
    items += [record.model_copy(update={"report": report})] if done else []
    return Page[AuditRecord](items=items)


@pytest.fixture
def measured_hub():
    """A hub with one release, and a client of it; ``on(audits)`` says what its list of audits holds."""
    scripted = ScriptedHub()
    release = scripted.add(make_wheel())
    path = f"/packages/{release.package}/releases/{release.version}/audits"
    scripted.measured = lambda **changes: scripted.on("GET", path, audits_of(release, **changes))
    return scripted


def test_a_verifier_outside_its_limits_is_not_given_out(measured_hub, tmp_path) -> None:
    settings = ClientSettings(url=URL, cache_dir=tmp_path)
    limits = AuditLimits(max_fpr=0.05)
    with Hub(settings=settings, transport=httpx.MockTransport(measured_hub)) as hub:
        measured_hub.measured(done=False)
        assert hub.known_audit(hub.environment("alice/small-sums")) is None
        with pytest.raises(AuditLimitError, match=r"verihub audit alice/small-sums@1\.0\.0 --report"):
            hub.environment("alice/small-sums", limits=limits)
        measured_hub.measured()
        assert hub.known_audit(hub.environment("alice/small-sums")).audit == "a1"
        assert hub.verifier("alice/small-sums", limits=AuditLimits(max_fpr=0.1)).version == "1.0.0"
        for opened in (hub.environment, hub.verifier):
            with pytest.raises(AuditLimitError, match=r"its audit a1 breaks the limits: .*max FPR. is 5.0 %"):
                opened("alice/small-sums", limits=limits)
        measured_hub.measured(digest="sha256:" + "f" * 64)
        with pytest.raises(IntegrityError, match="do not trust its figures"):
            hub.environment("alice/small-sums", limits=AuditLimits(max_fpr=1.0))


def test_closing_twice_is_harmless(hub) -> None:
    hub.close()
    hub.close()
