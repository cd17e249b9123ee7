"""The crowd and the record over real Docker boxes: the second audit's bytes, the copy that is found, the rollout."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hub_server.adapters.local_wheel_cache import LocalWheelCache
from hub_server.adapters.object_blob_store import ObjectBlobStore
from hub_server.adapters.sandbox_executor import SandboxExecutor
from hub_server.adapters.sandbox_exporter import SandboxExporter
from hub_server.adapters.tantivy_search_index import TantivySearchIndex
from hub_server.app import create_app
from hub_server.database.engine import Database
from hub_server.kernel.services import Services
from hub_server.settings import SandboxChoice, ServerSettings
from hub_server.wiring import open_signer
from sandbox.audit.report import reproducible_bytes
from sandbox.audit.signatures import check_signature
from schemas.evidence.audit import AuditReport
from tests.fakes.clock import FakeClock
from tests.fakes.wheel_inspector import FakeWheelInspector
from tests.hub_server.audits.test_comparing import CASES, CODE
from tests.making.hub import Api, make_package, run_jobs

pytestmark = [pytest.mark.docker, pytest.mark.slow, pytest.mark.together("docker-audit")]


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def services(tmp_path: Path, sqlite_template: Path, clock: FakeClock) -> Iterator[Services]:
    path = tmp_path / "hub.sqlite3"
    path.write_bytes(sqlite_template.read_bytes())
    settings = ServerSettings(data=tmp_path / "data", moderators=["moda"])
    blobs = ObjectBlobStore(settings.blobs_url)
    made = Services(
        settings=settings,
        database=Database(f"sqlite:///{path}"),
        blobs=blobs,
        wheels=LocalWheelCache(blobs, settings.data / "wheels"),
        inspector=FakeWheelInspector(),
        executor=SandboxExecutor(SandboxChoice()),
        search=TantivySearchIndex(None),
        clock=clock,
        signer=open_signer(settings),
        exporter=SandboxExporter(),
    )
    yield made
    made.close()


def wheel(package: str, *, name: str = "verify", last: str = "last", task: bool = False) -> bytes:
    import_name = package.replace("/", "_").replace("-", "_")
    kind = "environment" if task else "verifier"
    tasks = 'tasks = { train = "tasks.jsonl" }\n' if task else ""
    manifest = (
        f'format = 1\nid = "{package}"\nkind = "{kind}"\n{tasks}verifier = "{import_name}:{name}"\n'
        'audit = ["cases.jsonl"]\n[rewards.correct]\ndescription = "right"\n[sandbox]\nisolation = "batch"\n'
    )
    files = {"cases.jsonl": CASES, "tasks.jsonl": '{"id": "t", "prompt": "2?", "answer": 2, "split": "train"}\n'}
    code = CODE.format(doc=package, name=name, last=last)
    return make_package(package, manifest=manifest, code=code, package_files=files)


def test_measured_twice_signed_twice_and_the_same_bytes(services: Services) -> None:
    alice = Api(create_app(services)).sign_up("alice")
    assert alice.publish(wheel("alice/last")).status_code == 201
    run_jobs(services, at_most=1)
    alice.post("/api/v1/packages/alice/last/releases/1.0.0/audits")
    run_jobs(services, at_most=1)
    records = alice.get("/api/v1/packages/alice/last/audits").json()["items"]
    assert [record["state"] for record in records] == ["done", "done"]
    first, second = (AuditReport.read(record["report"]) for record in records)
    assert reproducible_bytes(first) == reproducible_bytes(second)
    assert records[0]["report_digest"] == records[1]["report_digest"]
    assert first.image_digest.startswith("sha256:")
    assert first.signature != second.signature  # times differ, and are signed too
    assert check_signature(first) == check_signature(second) == services.signer.public_key


def test_a_renamed_copy_is_found_and_an_agreed_rollout_is_executed_at_once(
    services: Services, clock: FakeClock
) -> None:
    api = Api(create_app(services))
    alice, bob, carol = (api.sign_up(name) for name in ("alice", "bob", "carol"))
    release = alice.publish(wheel("alice/sums", task=True)).json()["release"]
    assert bob.publish(wheel("bob/mine", name="check", last="found")).status_code == 201
    run_jobs(services)
    clock.advance(10)
    run_jobs(services)
    found = api.get("/api/v1/packages/bob/mine/releases/1.0.0/neighbours").json()["items"]
    assert [(one["package"], one["behaves_alike"]) for one in found] == [("alice/sums", True)]
    assert found[0]["agreed"] == found[0]["judged"] >= 30

    pin = {"package": "alice/sums", "version": "1.0.0", "digest": release["digest"]}
    run = alice.post("/api/v1/runs", json={"name": "r", "packages": [pin]}).json()
    row = {"step": 1, "package": "alice/sums", "task_id": "t", "response": "It is 7 or 2", "rewards": {"correct": 1.0}}
    held_out = {"held_out": {"correct": 0.0}}
    alice.post(f"/api/v1/runs/{run['id']}/rollouts", json={"items": [row | held_out]})
    alice.request("PATCH", f"/api/v1/runs/{run['id']}", json={"state": "finished"})
    clock.advance(10)
    run_jobs(services)
    question = api.get("/api/v1/label/next").json()["item"]
    labels = f"/api/v1/label/questions/{question['id']}/labels"
    bob.post(labels, json={"answer": "incorrect", "note": "it hedges"})
    settled = carol.post(labels, json={"answer": "incorrect"}).json()
    case = api.get(f"/api/v1/packages/alice/sums/cases/{settled['case_id']}").json()
    assert (case["state"], case["verdicts"]) == ("reproduced", {"1.0.0": {"correct": 1.0}})
