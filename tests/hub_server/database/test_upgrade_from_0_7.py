"""A hub that was filled by version 0.7.0 goes on: 0.8.0 and this version have its schema, and read what it wrote.

``hub_0_7_0.tar.gz`` is its database, blobs and a checkpoint of its journal: the catalogue of ``tests.making``, and what
came with versions 0.3 to 0.7. bob began a discussion, reported, sent a counter-example, is a maintainer of acme and has
a collection; alice watches him, has a webhook and a private package, offers him one, and a job of hers waits. The key
is that of the seed ``KEY``, so no secret lies here.
"""

import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from hub_server.app import create_app
from hub_server.database.schema_steps import upgrade
from hub_server.journal import actions as journal
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.publishing.actions import check_bytes, enter_missing_releases
from schemas.journal.entries import decode_hashes
from schemas.journal.hub_keys import read_checkpoint
from schemas.journal.merkle import check_consistency
from tests.making.catalogue import make_services
from tests.making.hub import PASSWORD, Api, make_package, run_jobs

HELD = Path(__file__).with_name("hub_0_7_0.tar.gz")
KEY = bytes(32)
PACKAGE = "/api/v1/packages/alice/small-sums"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with tarfile.open(HELD) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # Python 3.11.2 of Debian 12 has none
        archive.extractall(tmp_path)
    key = tmp_path / "data" / "keys" / "signing.pem"
    key.parent.mkdir()
    private = Ed25519PrivateKey.from_private_bytes(KEY)
    key.write_bytes(private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    key.chmod(0o600)
    return tmp_path


@pytest.fixture
def upgraded(folder: Path) -> Iterator[Services]:
    services = make_services(folder)
    upgrade(services.database)
    yield services
    services.close()


def person(api: Api, name: str) -> Api:
    """The account with its old password, just typed."""
    answer = api.post("/api/v1/sudo", json={"name": name, "password": PASSWORD})
    assert answer.status_code == 200, answer.text
    return api.as_token(answer.json()["secret"])


def test_all_is_whole_and_its_journal_goes_on_from_what_clients_remember(upgraded: Services, folder: Path) -> None:
    assert upgraded.database.faults() == []
    assert list(check_bytes(upgraded)) == []
    assert enter_missing_releases(upgraded) == 0
    with upgraded.database.reading() as session:
        assert list(journal.tree_faults(UnitOfWork(session, upgraded))) == []
    api = Api(create_app(upgraded))
    assert person(api, "alice").publish(make_package(version="2.0.0")).status_code == 201
    _, old = read_checkpoint((folder / "checkpoint.txt").read_text())
    _, new = read_checkpoint(api.get("/api/v1/journal/checkpoint").text)
    assert (old.origin, new.size) == (new.origin, old.size + 1)
    answer = api.get(f"/api/v1/journal/consistency?old={old.size}&new={new.size}").json()
    check_consistency(old.size, new.size, old.root, new.root, decode_hashes(answer["hashes"]))


def test_what_people_wrote_agreed_and_hid_is_as_it_was(upgraded: Services) -> None:
    api = Api(create_app(upgraded))
    alice, bob = person(api, "alice"), person(api, "bob")
    assert api.get("/api/v1/packages/alice/secret").status_code == 404
    assert alice.get("/api/v1/packages/alice/secret").json()["card"]["visibility"] == "private"
    [discussion] = api.get(f"{PACKAGE}/discussions").json()["items"]
    reply = bob.post(f"{PACKAGE}/discussions/{discussion['id']}/posts", json={"text": "And after the upgrade?"})
    assert reply.status_code == 201, reply.text
    [entry] = api.get("/api/v1/collections/bob/liked").json()["entries"]
    assert (entry["package"], entry["card"]["latest"]) == ("alice/small-sums", "1.1.0")
    assert [one["owner"] for one in alice.get("/api/v1/account/watches").json()["items"]] == ["bob"]
    [hook] = alice.get("/api/v1/webhooks?owner=alice").json()["items"]
    assert hook["url"] == "https://hooks.example.org/x"
    assert bob.publish(make_package("acme/judge", "1.1.0")).status_code == 201, "a maintainer still is"
    assert api.get("/api/v1/packages/acme/judge/releases/1.0.0").json()["deprecated_reason"] == "old"
    [case] = api.get(f"{PACKAGE}/cases").json()["items"]
    assert (case["submitted_by"], case["case"]["response"]) == ("bob", "three")
    upgraded.clock.advance(4 * 86400)  # type: ignore[attr-defined]
    [offer] = person(api, "bob").get("/api/v1/account/transfers").json()["items"]
    answer = f"/api/v1/packages/{offer['package']}/transfer/answer"
    assert person(api, "bob").post(answer, json={"accept": True}).status_code == 200
    assert run_jobs(upgraded) > 1
    assert api.get("/api/v1/packages/alice/waits/releases/1.0.0").json()["audit"]["version"] == "1.0.0"
