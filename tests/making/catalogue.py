"""A hub with a small measured catalogue and a run, made by hand: for tests of pages and browsers."""

import json
from pathlib import Path

from hub_server.adapters.local_wheel_cache import LocalWheelCache
from hub_server.adapters.object_blob_store import ObjectBlobStore
from hub_server.adapters.sandbox_exporter import SandboxExporter
from hub_server.adapters.tantivy_search_index import TantivySearchIndex
from hub_server.app import create_app
from hub_server.database.engine import Database
from hub_server.kernel.services import Services
from hub_server.settings import ServerSettings
from hub_server.wiring import open_signer
from schemas.verdict import ErrorKind, Verdict
from tests.fakes.clock import FakeClock
from tests.fakes.executor import FakeExecutor
from tests.fakes.wheel_inspector import FakeWheelInspector
from tests.hub_server.site import samples
from tests.making.hub import METRICS_TOKEN, Api, make_package, run_jobs
from tests.making.wheel import METADATA

VECTOR_MANIFEST = """\
format = 1
id = "alice/small-sums"
kind = "environment"
tasks = { train = "tasks.jsonl", endless = "alice_small_sums:generate" }
verifier = "alice_small_sums:verify"
audit = ["audit.jsonl"]
tags = ["math"]

[rewards.correct]
description = "the sum is right"

[rewards.parses]
role = "gate"
threshold = 1.0

[rewards.length]
role = "metric"
range = [0, 100]
"""
README = "# small-sums\n\nAdds <script>alert(1)</script>.\n\n[the code](src/alice_small_sums/__init__.py)\n"


def judge(_version: str, task: dict, response: str | None) -> Verdict:
    """Right when the response is the answer; a word of its own makes each fault."""
    names = ["correct", "parses", "length"]
    for kind in ErrorKind:
        if response == kind.value:
            return Verdict.unjudged(names, kind, f"it was {kind.value}")
    text = (response or "").strip()
    right = float(text == str(task.get("answer")))
    return Verdict(
        rewards={"correct": None if text == "?" else right, "parses": float(text != ""), "length": len(text)}
    )


def make_services(folder: Path) -> Services:
    """A hub whose migrated database lies in ``folder`` as ``hub.sqlite3``."""
    settings = ServerSettings(
        data=folder / "data", moderators=["moda"], owner_change_hours=0, metrics_token=METRICS_TOKEN
    )
    blobs = ObjectBlobStore(settings.blobs_url)
    return Services(
        settings=settings,
        database=Database(f"sqlite:///{folder / 'hub.sqlite3'}"),
        blobs=blobs,
        wheels=LocalWheelCache(blobs, settings.data / "wheels"),
        inspector=FakeWheelInspector(),
        executor=FakeExecutor(judge),
        search=TantivySearchIndex(None),
        clock=FakeClock(),
        signer=open_signer(settings),
        exporter=SandboxExporter(),
    )


def fill(services: Services) -> str:
    """alice/small-sums 1.0.0 and 1.1.0 (measured), alice/unmeasured, and a run; returns alice's token."""
    alice = Api(create_app(services)).sign_up("alice")
    _publish_catalogue(alice)
    run_jobs(services)
    _log_run(alice)
    assert alice.token is not None
    return alice.token


def _publish_catalogue(alice: Api) -> None:
    changed = "def verify(task, response):\n    # stricter\n    return {}\n"
    metadata = METADATA.replace("# Small sums\n", README)
    for version, code in (("1.0.0", "def verify(task, response):\n    return {}\n"), ("1.1.0", changed)):
        wheel = make_package(version=version, manifest=VECTOR_MANIFEST, code=code, metadata=metadata)
        assert alice.publish(wheel).status_code == 201
    bare = VECTOR_MANIFEST.replace('audit = ["audit.jsonl"]\n', "")
    assert alice.publish(make_package("alice/unmeasured", manifest=bare)).status_code == 201


BENCHMARK = """\
format = 1
id = "alice/ladder"
kind = "benchmark"
environments = ["alice/small-sums@1.1.0"]
split = "train"
"""


def add_benchmark(services: Services, token: str) -> None:
    """alice/ladder, and what five simulated models with long names did on it under two harnesses."""
    alice = Api(create_app(services), token)
    assert alice.publish(make_package("alice/ladder", manifest=BENCHMARK)).status_code == 201
    for model in range(5):
        for place, harness in enumerate(("single-turn", "lecture/tool-loop + lecture/python-search")):
            outcomes = [
                {"task_id": f"task-number-{n}", "attempts": 4, "successes": min(4, max(0, model + place + n % 3 - 2))}
                for n in range(30)
            ]
            body = {
                "environment": "alice/small-sums", "environment_version": "1.1.0", "harness": harness,
                "model": f"simulated/a-rather-long-name-of-a-model-{model}", "outcomes": outcomes,
            }  # fmt: skip
            answer = alice.post("/api/v1/benchmarks/alice/ladder/releases/1.0.0/results", json=body)
            assert answer.status_code == 201, answer.text
    run_jobs(services)


def _log_run(alice: Api) -> None:
    digest = alice.get("/api/v1/packages/alice/small-sums/releases/1.1.0").json()["digest"]
    run = samples.run()
    body = {
        "name": run.name,
        "model": run.model,
        "recipe": run.recipe,
        "packages": [{"package": "alice/small-sums", "version": "1.1.0", "digest": digest}],
        "rewards": {name: reward.model_dump(mode="json") for name, reward in run.rewards.items()},
        "config": run.config,
    }
    created = alice.post("/api/v1/runs", json=body)
    assert created.status_code == 201, created.text
    address = f"/api/v1/runs/{created.json()['id']}"
    points = [json.loads(point.model_dump_json()) for point in samples.metrics()]
    assert alice.post(f"{address}/metrics", json={"items": points}).status_code == 200
    rows = [json.loads(row.model_dump_json()) for row in samples.rollouts()]
    assert alice.post(f"{address}/rollouts", json={"items": rows}).status_code < 300
    change = {"state": "finished", "summary": {n: c.model_dump() for n, c in run.summary.items()}}
    assert alice.request("PATCH", address, json=change).status_code == 200
