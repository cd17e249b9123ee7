"""Fill a demo hub with a simulated field of models, to look at the pages of benchmarks: ``simulated_field.py URL``.

Every name begins with ``simulated``. Refuses a hub that is not on this machine: made-up results belong nowhere else.
"""

import secrets
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from hub_client.client import Hub
from hub_client.packaging.pack import pack
from hub_client.settings import ClientSettings
from hub_client.transport.requests import accounts, audits, packages
from hub_client.transport.requests.benchmarks import submit_results
from schemas.account import AccountCreate
from schemas.benchmark import ResultsCreate
from tests.making import field


def main(url: str) -> None:
    """Publish three environments and two benchmarks, wait for the audits, send the results."""
    if urlsplit(url).hostname not in ("127.0.0.1", "localhost", "::1"):
        raise SystemExit("simulated results are for a demo hub on this machine (http://127.0.0.1:…) only")
    with tempfile.TemporaryDirectory() as folder:
        settings = ClientSettings.load(url=url, cache_dir=Path(folder) / "cache")
        account = AccountCreate(name="simulated", email="simulated@example.org", password=secrets.token_urlsafe(24))
        with Hub(settings=settings) as hub:
            token = hub.send(accounts.sign_up(account)).token
        with Hub(settings=settings.model_copy(update={"token": token})) as hub:
            _publish(hub, Path(folder))
            _wait_for_audits(hub)
            for name, bodies in (
                ("field", field.results(field.ENVIRONMENTS[:2])),
                ("with-styles", field.results(field.ENVIRONMENTS[::2], seed=1)),
            ):
                for body in bodies:
                    hub.send(submit_results(f"simulated/{name}", "1.0.0", ResultsCreate.model_validate(body)))
            sys.stdout.write(f"{url}/benchmarks/simulated/field\n")


def _publish(hub: Hub, folder: Path) -> None:
    projects = {one.package: field.project_files(one) for one in field.ENVIRONMENTS}
    for name, environments in (("field", field.ENVIRONMENTS[:2]), ("with-styles", field.ENVIRONMENTS[::2])):
        projects[f"simulated/{name}"] = {"verihub.toml": field.benchmark_manifest(name, environments)}
    for package, files in projects.items():
        packed = pack(field.write_project(folder / package.replace("/", "-"), package, files), hub.cache)
        hub.send(packages.publish(packed.data, packed.digest))


def _wait_for_audits(hub: Hub) -> None:
    deadline = time.monotonic() + 300
    for one in field.ENVIRONMENTS:
        while not all(a.state in ("done", "failed") for a in hub.send(audits.list_audits(one.package, "1.0.0")).items):
            if time.monotonic() > deadline:
                raise SystemExit(f"the hub did not measure {one.package} within five minutes")
            time.sleep(0.5)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    main(sys.argv[1].rstrip("/"))
