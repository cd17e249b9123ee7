"""Webhooks over HTTP with real sockets: from a release to a receiver that checks the signature with the public library."""

import threading
from dataclasses import replace
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from hub_server.adapters.checked_http import CheckedHttp
from hub_server.app import create_app
from hub_server.kernel.services import Services
from tests.making.hub import Api, run_jobs

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


class Receiver(BaseHTTPRequestHandler):
    got: list[tuple[dict[str, str], bytes]]

    def do_POST(self) -> None:
        self.got.append((dict(self.headers), self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def receiver():
    kind = type("Receiver", (Receiver,), {"got": []})
    server = HTTPServer(("127.0.0.1", 0), kind)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/hook", kind.got
    server.shutdown()
    thread.join(10)
    server.server_close()


def tried(services: Services, outgoing: CheckedHttp, url: str) -> tuple[dict, str]:
    hub = replace(services, outgoing=outgoing)
    hub.clock.set(datetime.now(UTC))  # the receiver's library compares with its own clock
    person = Api(create_app(hub)).sign_up("alice").as_person()
    made = person.post("/api/v1/webhooks", json={"owner": "alice", "url": url}).json()
    hook = made["webhook"]["id"]
    assert person.post(f"/api/v1/webhooks/{hook}/test").status_code == 202
    run_jobs(hub)
    return person.get(f"/api/v1/webhooks/{hook}/deliveries").json()["items"][0], made["secret"]


def test_a_receiver_checks_what_arrives_with_the_public_library(services: Services, receiver) -> None:
    url, got = receiver
    entry, secret = tried(services, CheckedHttp(["127.0.0.0/8"], 5), url)
    assert (entry["state"], entry["status"]) == ("delivered", 204)
    headers, body = got[0]
    assert Webhook(secret).verify(body, headers)["type"] == "webhook.test"


def test_the_same_address_is_out_of_reach_unless_the_operator_allows_it(services: Services, receiver) -> None:
    url, _ = receiver
    person = Api(create_app(replace(services, outgoing=CheckedHttp([], 5)))).sign_up("alice").as_person()
    refused = person.post("/api/v1/webhooks", json={"owner": "alice", "url": url})
    assert (refused.status_code, refused.json()["code"]) == (422, "webhook_refused")
    assert "127.0.0.1 is not an address on the public internet" in refused.json()["detail"]


def test_a_name_that_leads_inside_is_found_out_when_something_is_sent(services: Services, receiver) -> None:
    url, got = receiver
    inside = CheckedHttp([], 5, resolve=lambda _name, _port: ["127.0.0.1"])
    entry, _ = tried(services, inside, url.replace("127.0.0.1", "hooks.example"))
    assert (entry["state"], entry["status"], got) == ("waiting", None, [])
    assert "not public" in entry["note"]


def test_a_message_that_is_sent_on_by_its_receiver_is_taken_by_nobody_else_and_not_for_long(
    services: Services, receiver
) -> None:
    """A hostile receiver keeps what it got: it can show it to others, change it, or send it back later."""
    url, got = receiver
    hub = replace(services, outgoing=CheckedHttp(["127.0.0.0/8"], 5))
    hub.clock.set(datetime.now(UTC))
    person = Api(create_app(hub)).sign_up("alice").as_person()
    hooks = [person.post("/api/v1/webhooks", json={"owner": "alice", "url": url}).json() for _ in range(2)]
    secrets = [one["secret"] for one in hooks]
    entry = person.post(f"/api/v1/webhooks/{hooks[0]['webhook']['id']}/test").json()
    run_jobs(hub)
    [(headers, body)] = got
    assert Webhook(secrets[0]).verify(body, headers)
    for changed, message in (
        ({"webhook-id": "another"}, body),
        ({"webhook-timestamp": str(int(headers["webhook-timestamp"]) + 1)}, body),
        ({}, body.replace(b"webhook.test", b"webhook.best")),
        ({"webhook-signature": headers["webhook-signature"].replace("v1,", "v1,A", 1)}, body),
    ):
        with pytest.raises(WebhookVerificationError):
            Webhook(secrets[0]).verify(message, {**headers, **changed})
    with pytest.raises(WebhookVerificationError):
        Webhook(secrets[1]).verify(body, headers)
    hub.clock.advance(-3600)
    again = f"/api/v1/webhooks/{hooks[0]['webhook']['id']}/deliveries/{entry['id']}/again"
    assert person.post(again).status_code == 202, "an hour ago, by the receiver's clock"
    run_jobs(hub)
    old, old_body = got[-1]
    assert (old["webhook-id"], old_body) == (headers["webhook-id"], body), "by which a receiver knows it again"
    with pytest.raises(WebhookVerificationError, match="old"):
        Webhook(secrets[0]).verify(old_body, old)
