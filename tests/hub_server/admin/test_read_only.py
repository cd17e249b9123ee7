"""``verihub admin read-only``: said to whoever wants to write, and ended again."""

from hub_server.app import create_app
from hub_server.kernel.services import Services
from hub_server.worker import Worker
from tests.hub_server.admin.conftest import Admin
from tests.making.hub import PASSWORD, Api, make_package

ACCOUNT = {"name": "bob", "email": "b@example.org", "password": PASSWORD}


def test_a_read_only_hub_is_read_and_not_written(services: Services, admin: Admin) -> None:
    alice = Api(create_app(services)).sign_up("alice")
    assert alice.publish(make_package()).status_code == 201
    assert admin("read-only").stderr == "The hub takes writes.\n"
    assert admin("read-only", "on").exit_code == 9
    assert admin("read-only", "on", "--reason", "Moving.").stderr == "The hub is read-only: Moving.\n"
    refused = alice.post("/api/v1/accounts", json=ACCOUNT)
    assert (refused.status_code, refused.json()["code"]) == (503, "read_only")
    assert "Moving." in refused.json()["detail"]
    assert alice.publish(make_package(version="1.0.1")).status_code == 503
    page = alice.get("/login", headers={"Accept": "text/html"})
    assert page.status_code == 200
    for path in ("/", "/api/v1/packages/alice/small-sums/releases/1.0.0/wheel"):
        assert alice.get(path).status_code == 200, path  # a download is not counted, and comes all the same
    assert alice.get("/readyz").json()["writes"] == "read-only: Moving."
    assert admin("suspend", "alice", "--reason", "x").exit_code == 9
    assert admin("read-only", "off").stderr == "The hub takes writes.\n"
    assert alice.post("/api/v1/accounts", json=ACCOUNT).status_code == 201


def test_a_worker_claims_nothing_meanwhile_and_goes_on_after(services: Services, admin: Admin) -> None:
    Api(create_app(services)).sign_up("alice").publish(make_package())
    admin("read-only", "on", "--reason", "Moving.")
    worker = Worker(services)
    services.clock.on_sleep = worker.stop  # type: ignore[attr-defined]
    worker.stop()
    worker.run()  # ends without an error
    admin("read-only", "off")
    assert Worker(services).run_one()
