"""A worker process that hangs in the middle of an audit, to be killed: ``python -m tests.making.hanging_worker URL DATA``."""

import sys
import time
from pathlib import Path

from hub_server.adapters.local_wheel_cache import LocalWheelCache
from hub_server.adapters.object_blob_store import ObjectBlobStore
from hub_server.adapters.sandbox_exporter import SandboxExporter
from hub_server.adapters.tantivy_search_index import TantivySearchIndex
from hub_server.database.engine import Database
from hub_server.discussions import models as _discussions  # noqa: F401 -- the table that watches refers to
from hub_server.kernel.services import Services
from hub_server.settings import ServerSettings
from hub_server.wiring import open_signer
from hub_server.worker import Worker
from tests.fakes.clock import FakeClock
from tests.fakes.executor import FakeExecutor
from tests.fakes.wheel_inspector import FakeWheelInspector


def hang(_plan: object) -> None:
    print("auditing", flush=True)
    time.sleep(600)


def main(url: str, data: str) -> None:
    settings = ServerSettings(data=Path(data))
    blobs = ObjectBlobStore(settings.blobs_url)
    executor = FakeExecutor()
    executor.before_audit = hang
    services = Services(
        settings=settings,
        database=Database(url),
        blobs=blobs,
        wheels=LocalWheelCache(blobs, settings.data / "wheels"),
        inspector=FakeWheelInspector(),
        executor=executor,
        search=TantivySearchIndex(None),
        clock=FakeClock(),
        signer=open_signer(settings),
        exporter=SandboxExporter(),
    )
    worker = Worker(services)
    while not worker.run_one():
        services.clock.now()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
