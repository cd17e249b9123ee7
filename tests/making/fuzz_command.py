"""``scripts/fuzz_api``: the fuzzed hub for as long as one likes."""

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from hub_server.adapters.local_wheel_cache import LocalWheelCache
from hub_server.adapters.object_blob_store import ObjectBlobStore
from hub_server.adapters.sandbox_exporter import SandboxExporter
from hub_server.adapters.tantivy_search_index import TantivySearchIndex
from hub_server.app import create_app
from hub_server.database.engine import Database
from hub_server.database.schema_steps import upgrade
from hub_server.kernel.services import Services
from hub_server.settings import LimitSettings, ServerSettings
from hub_server.wiring import open_signer
from tests.fakes.clock import FakeClock
from tests.fakes.executor import FakeExecutor
from tests.fakes.wheel_inspector import FakeWheelInspector
from tests.making.api_fuzz import fuzz
from tests.making.fuzzed_hub import fill

_MANY = 10**9
ASKERS = ("anonymous", "account", "moderator")


def open_services(folder: Path, database_url: str, moderators: Sequence[str]) -> Services:
    """A hub whose limits stop nobody, since they would end the fuzzing."""
    limits = LimitSettings(logins_burst=_MANY, writes_burst=_MANY, reads_burst=_MANY)
    settings = ServerSettings(data=folder / "data", moderators=list(moderators), limits=limits)
    database = Database(database_url or f"sqlite:///{folder / 'hub.sqlite3'}")
    upgrade(database)
    blobs = ObjectBlobStore(settings.blobs_url)
    return Services(
        settings=settings,
        database=database,
        blobs=blobs,
        wheels=LocalWheelCache(blobs, settings.data / "wheels"),
        inspector=FakeWheelInspector(),
        executor=FakeExecutor(),
        search=TantivySearchIndex(None),
        clock=FakeClock(),
        signer=open_signer(settings),
        exporter=SandboxExporter(),
    )


def _part(text: str) -> tuple[int, int]:
    """``2/5`` as (2, 5)."""
    which, _, of = text.partition("/")
    if not 1 <= int(which) <= int(of):
        raise argparse.ArgumentTypeError(f"{text!r}: `2/5` is the second of five parts")
    return int(which), int(of)


def main() -> int:
    """Fuzz, and say what failed."""
    parser = argparse.ArgumentParser(prog="scripts/fuzz_api")
    parser.add_argument("--examples", type=int, default=100, help="requests of each of two kinds to each operation")
    parser.add_argument("--start", type=int, default=1, help="which requests: another number gives others")
    parser.add_argument(
        "--as", dest="asker", choices=ASKERS, default="moderator", help="who asks: a moderator gets furthest"
    )
    parser.add_argument(
        "--part", type=_part, default=(1, 1), help="`2/5` asks the second fifth of the operations: a long run in parts"
    )
    parser.add_argument("--database-url", default="", help="an empty PostgreSQL database; SQLite without")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        moderators = ["alice"] if arguments.asker == "moderator" else []
        services = open_services(Path(folder), arguments.database_url, moderators)
        app = create_app(services)
        began = time.process_time()
        api, known = fill(app, services)
        api = api.as_token(None) if arguments.asker == "anonymous" else api
        failed = fuzz(api, app.openapi(), known, arguments.examples, arguments.start, arguments.part)
        services.close()
    for one in failed:
        print(f"{one.status}  {one.request}")
    print(f"{len(failed)} answers of 5xx; {time.process_time() - began:.0f} s of CPU", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
