"""From a workflow's identity token to a release, on both databases: once, for one package, for some minutes."""

import threading
from dataclasses import replace

import pytest

from hub_server.adapters.oidc_identity_provider import OidcIdentityProvider
from hub_server.app import create_app
from hub_server.settings import TrustedPublishingSettings
from tests.making.hub import Api, make_package
from tests.making.identity_provider import AUDIENCE, GITHUB, GITLAB, Issuer
from tests.making.wheel import MANIFEST

EXCHANGE = "/api/v1/trusted-publishing/token"
SUMS = "/api/v1/packages/alice/small-sums/trusted-publishers"
PUBLISHER = {
    "provider": "github", "issuer": GITHUB, "repository": "alice/sums", "workflow": "release.yml", "environment": "release",
}  # fmt: skip


@pytest.fixture
def github() -> Issuer:
    return Issuer()


@pytest.fixture
def api(services, github) -> Api:
    settings = services.settings.model_copy(
        update={"public_url": AUDIENCE, "trusted_publishing": TrustedPublishingSettings(issuers=[GITHUB, GITLAB])}
    )
    lab = Issuer(GITLAB)
    fetch = lambda url: (lab if url.startswith(GITLAB) else github).fetch(url)  # noqa: E731
    identities = OidcIdentityProvider([GITHUB, GITLAB], services.clock, fetch)
    return Api(create_app(replace(services, settings=settings, identities=identities)))


@pytest.fixture
def registered(api: Api, alice: Api) -> Api:
    answer = alice.as_person().post(SUMS, json=PUBLISHER)
    assert answer.status_code == 201, answer.text
    return alice


def exchange(api: Api, token: str, package: str = "alice/small-sums"):
    return api.post(EXCHANGE, json={"package": package, "identity_token": token})


def test_a_workflow_publishes_its_package_and_nothing_else(api: Api, registered: Api, github) -> None:
    answer = exchange(api, github.token())
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-store")
    assert answer.json()["token"]["scopes"] == ["publish"]
    workflow = api.as_token(answer.json()["secret"])
    assert workflow.publish(make_package()).status_code == 201
    other = workflow.publish(make_package("alice/other"))
    assert (other.status_code, "alice/small-sums and nothing else" in other.json()["detail"]) == (403, True)
    yank = workflow.post("/api/v1/packages/alice/small-sums/releases/1.0.0/yank", json={"reason": "x"})
    assert yank.status_code == 200
    for path in ("/api/v1/tokens", SUMS):
        assert workflow.get(path).status_code in (200, 403)
    assert workflow.post(SUMS, json=PUBLISHER).status_code == 403, "it cannot register another workflow"
    assert workflow.post("/api/v1/runs", json={"name": "r", "kind": "evaluation", "model": "m"}).status_code == 403


def test_a_strangers_token_does_not_tell_names_with_a_publisher_from_others(api: Api, registered: Api, github) -> None:
    """A package may be private, or not published yet; anybody can get a token of a repository of one's own."""
    told = [
        exchange(api, github.token(repository="mallory/sums"), name) for name in ("alice/small-sums", "alice/never")
    ]
    known, unknown = (answer.json()["detail"].replace("small-sums", "never") for answer in told)
    assert known == unknown
    assert known.endswith("of alice/never: none is registered for its repository (mallory/sums).")


def test_of_what_is_private_a_workflow_sees_its_own_package_alone(api: Api, alice: Api, github) -> None:
    """Else whoever takes over one workflow reads every private package of the account, and shows them to everybody."""
    for name in ("small-sums", "secret"):
        wheel = make_package(f"alice/{name}")
        assert alice.post("/api/v1/packages?visibility=private", content=wheel).status_code == 201
    run = alice.post("/api/v1/runs", json={"name": "r", "kind": "training", "is_private": True}).json()["id"]
    assert alice.as_person().post(SUMS, json=PUBLISHER).status_code == 201
    workflow = api.as_token(exchange(api, github.token()).json()["secret"])
    secret = "/api/v1/packages/alice/secret"
    for path in (secret, f"{secret}/releases/1.0.0/wheel", "/packages/alice/secret", f"/api/v1/runs/{run}"):
        assert (workflow.get(path).status_code, alice.get(path).status_code) == (404, 200), path
    assert workflow.post(f"{secret}/public").status_code == 404
    assert workflow.get(f"{secret}/trusted-publishers").status_code == 403
    own = "/api/v1/packages/alice/small-sums"
    assert workflow.get(own).status_code == 200
    assert workflow.post(f"{own}/public").status_code == 403, "for good, and a workflow may be taken over"
    assert alice.get(own).json()["card"]["visibility"] == "private"
    needs = MANIFEST.replace("alice_small_sums:verify", "alice/secret@1.0.0")
    wheel = make_package("alice/small-sums", "1.1.0", manifest=needs)
    assert workflow.publish(wheel).status_code == 201, "a private release may need what else is private"


def test_the_token_ends_after_minutes(api: Api, registered: Api, github, clock) -> None:
    workflow = api.as_token(exchange(api, github.token()).json()["secret"])
    clock.advance(16 * 60)
    assert workflow.publish(make_package()).status_code == 401


def test_a_token_is_good_once_also_where_twenty_come_at_once(api: Api, registered: Api, github) -> None:
    token, statuses = github.token(), []
    threads = [threading.Thread(target=lambda: statuses.append(exchange(api, token).status_code)) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [200] + [401] * 11
    assert "used before" in exchange(api, token).json()["detail"]
    assert exchange(api, github.token(2)).status_code == 200


@pytest.mark.parametrize(
    ("package", "changes", "said"),
    [
        ("alice/other", {}, "none is registered"), ("alice/small-sums", {"workflow_ref": "x"}, "another workflow"),
        ("alice/small-sums", {"aud": "https://other.example"}, "audience https://hub.example"),
        ("alice/small-sums", {"iss": GITLAB}, "is not valid"),
    ],
)  # fmt: skip
def test_whoever_is_not_registered_gets_nothing(api: Api, registered: Api, github, package, changes, said) -> None:
    answer = exchange(api, github.token(**changes), package)
    assert (answer.status_code, answer.json()["code"]) == (401, "not_authenticated")
    assert said in answer.json()["detail"]


def test_who_registered_and_lost_the_right_loses_it_for_the_workflow_too(
    api: Api, registered: Api, github, services
) -> None:
    secret = exchange(api, github.token()).json()["secret"]
    with services.database.writing() as session:
        from sqlalchemy import text  # noqa: PLC0415

        session.execute(text("UPDATE accounts SET suspended_reason = 'malware' WHERE name = 'alice'"))
    assert api.as_token(secret).publish(make_package()).status_code == 403


def test_only_the_owner_with_the_password_registers_and_only_known_issuers(api: Api, alice: Api) -> None:
    bob = api.sign_up("bob").as_person()
    assert api.post(SUMS, json=PUBLISHER).status_code == 401
    assert alice.post(SUMS, json=PUBLISHER).json()["code"] == "password_needed"
    assert bob.post(SUMS, json=PUBLISHER).status_code == 403
    assert bob.get(SUMS).status_code == 403
    person = alice.as_person()
    assert (
        "does not accept the issuer"
        in person.post(SUMS, json={**PUBLISHER, "issuer": "https://evil.example"}).json()["detail"]
    )
    for field, value in [
        ("repository", "alice"),
        ("repository", "a/../b/\n"),
        ("workflow", "x.sh"),
        ("environment", "a\x00"),
    ]:
        assert person.post(SUMS, json={**PUBLISHER, field: value}).status_code == 422
    made = person.post(SUMS, json=PUBLISHER).json()
    assert person.get(SUMS).json()["items"] == [made]
    assert bob.request("DELETE", f"{SUMS}/{made['id']}").status_code == 403
    assert person.request("DELETE", f"{SUMS}/{made['id']}").status_code == 204
    assert person.request("DELETE", f"{SUMS}/{made['id']}").status_code == 404


def test_a_hub_that_accepts_none_says_so(services, github) -> None:
    plain = Api(create_app(services))
    assert "no public address" in exchange(plain, github.token()).json()["detail"]


def test_workflows_of_a_former_owner_publish_no_more(api: Api, registered: Api, bob: Api, github) -> None:
    """Neither by a token that was given before the package changed hands, nor by a new one."""
    assert registered.publish(make_package()).status_code == 201
    workflow = api.as_token(exchange(api, github.token()).json()["secret"])
    path = "/api/v1/packages/alice/small-sums/transfer"
    assert registered.as_person().post(path, json={"to": "bob"}).status_code == 201
    assert bob.as_person().post(f"{path}/answer", json={"accept": True}).status_code == 200
    assert workflow.publish(make_package(version="1.1.0")).status_code == 403
    assert exchange(api, github.token()).status_code == 401
    assert bob.get(SUMS).json()["items"] == []
    assert registered.get(SUMS).status_code == 403
