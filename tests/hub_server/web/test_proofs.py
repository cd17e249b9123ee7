"""Every route that writes: whether it asks who is there once more, and why not.

Walked by a thief: with a copy of the cookie of a moderator who has a second factor and typed the password a moment ago.
"""

import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from sqlalchemy import select

from hub_server.accounts.models import AccountRow, SecondFactorRow
from hub_server.accounts.rules.second_factors import make_totp_secret
from hub_server.kernel.services import Services
from hub_server.site.sections import proof
from tests.hub_server.web.test_edges import _body_for
from tests.making.hub import PASSWORD, Api, make_package

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)  # what is asked for is asked of none

API, PACKAGE = "/api/v1", "/packages/{owner}/{name}"
POST_AT = PACKAGE + "/discussions/{discussion_id}/posts/{number}"


def routes(methods: str, *paths: str, under: str = "") -> set[str]:
    return {f"{method} {under}{path}" for method in methods.split() for path in paths}


PROVEN = {
    "factors, keys, tokens and the address: whoever has these has the account": (
        routes("POST", "/account/email", "/account/tokens", "/account/second-factor/start")
        | routes("POST", "/account/second-factor/disable", "/account/security-keys/question")
        | routes("POST", "/account/security-keys/{key_id}/remove", "/device")
        | routes("POST", "/account/author-keys", "/account/second-factor", "/tokens", under=API)
        | routes("DELETE", "/account/author-keys/{key_id}", "/account/security-keys/{key_id}", under=API)
        | routes("PUT", "/account/email", under=API)
    ),
    "organisations: members and roles decide who may publish": (
        routes("POST", "/organizations", "/owners/{owner}/members", "/owners/{owner}/members/{account}/remove")
        | routes("POST", "/organizations", under=API)
        | routes("PUT", "/organizations/{name}/members", under=API)
        | routes("DELETE", "/organizations/{name}/members/{account}", under=API)
    ),
    "what a page says of an owner: readers follow its link because they trust the name": (
        routes("POST", "/owners/{owner}/profile") | routes("PUT", "/owners/{name}", under=API)
    ),
    "a package is given away, taken over or deleted": (
        routes("POST", "/account/offers", PACKAGE + "/settings")
        | routes("POST", PACKAGE + "/transfer", PACKAGE + "/transfer/answer", under=API)
        | routes("DELETE", PACKAGE, PACKAGE + "/releases/{version}", under=API)
    ),
    "a run is deleted for good": routes("DELETE", "/runs/{run_id}", under=API),
    "the account is deleted for good": (
        routes("POST", "/account/deletion") | routes("POST", "/account/deletion", under=API)
    ),
    "webhooks: messages tell of what is private, and a secret is shown": (
        routes("POST", "/owners/{owner}/webhooks", under="")
        | {f"POST /webhooks/{{webhook_id}}/{act}" for act in ("enable", "remove", "secret")}
        | routes("POST", "/webhooks", "/webhooks/{webhook_id}/enable", "/webhooks/{webhook_id}/secret", under=API)
        | routes("DELETE", "/webhooks/{webhook_id}", under=API)
    ),
    "a workflow may publish without a stored token": (
        routes("POST", "/publishers", "/publishers/{publisher_id}/remove")
        | routes("POST", PACKAGE + "/trusted-publishers", under=API)
        | routes("DELETE", PACKAGE + "/trusted-publishers/{publisher_id}", under=API)
    ),
    "what moderators do to others": (
        routes("POST", "/moderation/acts", "/moderation/reports/{report_id}/decision")
        | routes("POST", "/collections/{owner}/{name}/hide", PACKAGE + "/cases/{case_id}/hide", POST_AT + "/hide")
        | routes("POST", PACKAGE + "/releases/{version}/quarantine", PACKAGE + "/cases/{case_id}/settle")
        | routes("POST", PACKAGE + "/discussions/{discussion_id}/state")
        | {f"POST {API}{PACKAGE}/{act}" for act in ("quarantine", "unquarantine", "takedown")}
        | {f"POST {API}{PACKAGE}/releases/{{version}}/{act}" for act in ("quarantine", "unquarantine", "takedown")}
        | {f"POST {API}{PACKAGE}/cases/{{case_id}}/{act}" for act in ("hide", "show", "settle")}
        | {f"POST {API}{PACKAGE}/discussions/{{discussion_id}}/{act}" for act in ("close", "reopen")}
        | {f"POST {API}{POST_AT}/{act}" for act in ("hide", "show")}
        | {f"POST {API}/collections/{{owner}}/{{name}}/{act}" for act in ("hide", "show")}
        | routes("POST", "/accounts/{name}/suspend", "/accounts/{name}/unsuspend", under=API)
        | {f"POST {API}/accounts/{{name}}/profile/{act}" for act in ("hide", "show")}
        | routes("POST", "/blocked-names", "/blocked-names/unblock", "/reports/{report_id}/decision", under=API)
    ),
}
"""Why the password of the last minutes and the second factor are asked for -> routes."""

NOT_PROVEN = {
    "nobody is signed in yet, and what is sent is a proof of its own": (
        routes("POST", "/signup", "/login", "/login/code", "/login/key-question", "/account/recovery")
        | routes("POST", "/account/recovery/password", "/account/email/confirmation", "/unsubscribe/{code}")
        | routes("POST", "/accounts", "/login", "/sudo", "/account/recovery", "/account/recovery/password", under=API)
        | routes("POST", "/account/email/confirmation", "/tokens/revoke", "/trusted-publishing/token", under=API)
        | routes("POST", "/device/code", "/device/token", "/device/proof", under=API)
    ),
    "it takes the password and the factor in the request itself": (
        routes("POST", "/account/password", "/account/proof")
        | routes("POST", "/account/password", "/account/second-factor/off", under=API)
    ),
    "it ends what was begun with the factor, and is worth nothing without that": (
        routes("POST", "/account/second-factor/enable", "/account/security-keys")
        | routes("PUT", "/account/second-factor", under=API)
    ),
    "it only ends or declines something, or may be left again": (
        routes("POST", "/logout", "/account/sessions/{session_id}/end", "/account/tokens/{token_id}/revoke")
        | routes("POST", "/account/invitations/{organization}")
        | routes("POST", "/organizations/{name}/invitation", under=API)
        | routes("DELETE", PACKAGE + "/transfer", "/sessions/{session_id}", "/tokens/{token_id}", under=API)
    ),
    "it sends only what the owner has chosen, to where the owner has chosen": (
        {f"POST {at}/webhooks/{{webhook_id}}/test" for at in ("", API)}
        | {f"POST {at}/webhooks/{{webhook_id}}/deliveries/{{delivery_id}}/again" for at in ("", API)}
        | routes("POST", "/account/email/link")
        | routes("POST", "/account/email/link", under=API)
    ),
    "ordinary work, which a token with its scope may do as well": (
        routes("POST", "/collections", "/collections/{owner}/{name}/delete", "/collections/{owner}/{name}/report")
        | routes("POST", "/owners/{owner}/report")
        | routes("POST", "/owners/{owner}/reports", under=API)
        | routes("POST", "/label/{question_id}", PACKAGE + "/label/gather", PACKAGE + "/report")
        | routes("POST", PACKAGE + "/cases/{case_id}/dispute", PACKAGE + "/cases/{case_id}/second")
        | routes("POST", PACKAGE + "/cases/report")
        | routes("POST", PACKAGE + "/discussions", PACKAGE + "/discussions/{discussion_id}/posts", POST_AT)
        | routes("POST", POST_AT + "/delete", PACKAGE + "/discussions/{discussion_id}/follow")
        | {
            f"POST {PACKAGE}/releases/{{version}}/{act}"
            for act in ("audits", "cases", "cases/new", "cases/preview", "try")
        }
        | routes("POST", "/account/watches", "/owners/{owner}/watch", PACKAGE + "/watch", "/compare", "/theme")
        | routes("PUT DELETE", "/account/watches/{owner}", "/account/watches/{owner}/{name}", under=API)
        | routes("PUT", "/account/watches", under=API)
        | routes("PUT DELETE", "/collections/{owner}/{name}", under=API)
        | routes("POST", "/collections/{owner}/{name}/reports", PACKAGE + "/reports", under=API)
        | routes("POST", "/packages", "/comparisons", PACKAGE + "/public", PACKAGE + "/archive", under=API)
        | routes("POST", PACKAGE + "/unarchive", PACKAGE + "/discussions", under=API)
        | routes("POST", PACKAGE + "/discussions/{discussion_id}/posts", under=API)
        | routes("PUT DELETE", POST_AT, PACKAGE + "/discussions/{discussion_id}/follow", under=API)
        | routes("POST", "/runs", "/runs/{run_id}/metrics", "/runs/{run_id}/rollouts", under=API)
        | routes("PATCH", "/runs/{run_id}", under=API)
        | routes("POST", "/label/questions/{question_id}/labels", PACKAGE + "/label/gather", under=API)
        | routes("POST", PACKAGE + "/cases/dispute", PACKAGE + "/cases/report", under=API)
        | {f"POST {API}{PACKAGE}/cases/{{case_id}}/{act}" for act in ("dispute", "second")}
        | {
            f"POST {API}{PACKAGE}/releases/{{version}}/{act}"
            for act in ("audits", "cases", "judge", "score", "yank", "unyank", "deprecate", "undeprecate")
        }
        | routes("POST DELETE", PACKAGE + "/releases/{version}/mcp", under=API)  # the protocol's own messages
        | {f"DELETE {API}/uploads/{{digest}}", f"PUT {API}/uploads/{{digest}}/parts/{{number}}"}
        | routes("POST", "/benchmarks/{owner}/{name}/releases/{version}/results", under=API)
    ),
}
"""Why nothing more than the cookie, or a token, is asked for -> routes."""

FORMS = {
    "/account/email": {"email": "thief@example.org"},
    "/account/tokens": {"name": "for ever", "scopes": "publish"},
    "/account/offers": {"package": "bob/small-sums", "answer": "accept"},
    "/device": {"device": "BCDF-GHJK", "decision": "allow"},
    "/organizations": {"name": "thieves"},
    "/owners/{owner}/members": {"account": "bob", "role": "owner"},
    "/owners/{owner}/webhooks": {"url": "https://hooks.example/"},
    "/publishers": {"package": "bob/small-sums", "repository": "a/b", "workflow": "x.yml",
                    "issuer": "https://token.actions.githubusercontent.com"},
    "/moderation/acts": {"act": "suspend", "target": "bob", "reason": "x"},
    "/moderation/reports/{report_id}/decision": {"state": "acted"},
    PACKAGE + "/settings": {"act": "offer", "to": "moda"},
    PACKAGE + "/cases/{case_id}/settle": {"ruling": "upheld"},
    PACKAGE + "/discussions/{discussion_id}/state": {"act": "close", "reason": "x"},
}  # fmt: skip
"""The forms that ask for more than a click."""
TALK = f"POST {API}{PACKAGE}/discussions/{{discussion_id}}"
BODIES = {
    f"POST {API}{PACKAGE}/transfer/answer": {"accept": True},
    f"{TALK}/close": {"reason": "x"},
    f"{TALK}/reopen": {"reason": "x"},
}
"""The bodies whose least does something else."""
WRITES = {"POST", "PUT", "PATCH", "DELETE"}


@pytest.fixture
def thief(app: FastAPI, services: Services, bob: Api) -> tuple[dict[str, str], dict[str, str]]:
    """The cookie of moda, whose password was typed a moment ago; and ids of bob's things, of moda's webhook, too."""
    person = bob.as_person()
    assert person.publish(make_package("bob/small-sums")).status_code == 201
    wrong = {"id": "c1", "task": {"id": "t", "prompt": "?", "answer": 4}, "response": "five", "label": "incorrect"}
    case = person.post(f"{API}/packages/bob/small-sums/releases/1.0.0/cases", json=wrong).json()["id"]
    talk = person.post(f"{API}/packages/bob/small-sums/discussions", json={"title": "t", "text": "t"}).json()["id"]
    closed = person.post(f"{API}/packages/bob/small-sums/discussions", json={"title": "u", "text": "u"}).json()["id"]
    over = person.post(f"{API}/packages/bob/small-sums/discussions/{closed}/close", json={"reason": "over"})
    assert over.status_code == 200, over.text
    moda = bob.sign_up("moda")
    hook = moda.post(f"{API}/webhooks", json={"owner": "moda", "url": "https://hooks.example/"}).json()["webhook"]["id"]
    with services.database.writing() as session:
        account = session.scalar(select(AccountRow.id).where(AccountRow.name == "moda"))
        now = services.clock.now()
        session.add(SecondFactorRow(account_id=account, secret=make_totp_secret(), created_at=now))
    signed_in = Api(app).post("/login", data={"name": "moda", "password": PASSWORD})
    with services.database.writing() as session:
        session.get_one(SecondFactorRow, account).enabled_at = now
    cookie = signed_in.headers["set-cookie"].partition(";")[0]
    names = {"owner": "bob", "name": "small-sums", "version": "1.0.0", "case_id": case, "discussion_id": talk,
             "number": "1", "account": "bob", "webhook_id": hook, "closed": closed}  # fmt: skip
    return {"Cookie": cookie, "Sec-Fetch-Site": "same-origin", "Accept": "application/json"}, names


def pages(app: FastAPI) -> Iterator[tuple[str, APIRoute]]:
    """The routes that take a form."""
    for route in app.router.routes:
        if isinstance(route, APIRoute) and not route.include_in_schema:
            for method in WRITES & (route.methods or set()):
                yield f"{method} {route.path}", route


def api_bodies(app: FastAPI) -> dict[str, Any]:
    """Each route of the API that writes, with the least that it accepts."""
    found = {}
    for path, operations in app.openapi()["paths"].items():
        for method in operations.keys() & {one.lower() for one in WRITES}:
            found[f"{method.upper()} {path}"] = _body_for(app, operations[method])
    return found


def asks_for_factor(answer: httpx.Response) -> bool:
    return answer.status_code == 403 and "needs your second factor once more" in answer.text


def test_a_copied_cookie_does_nothing_that_the_table_says_is_proven(
    app: FastAPI, thief: tuple[dict[str, str], dict[str, str]]
) -> None:
    headers, names = thief
    proven = {name for group in PROVEN.values() for name in group}
    sent = {name: {"json": BODIES.get(name, body)} for name, body in api_bodies(app).items()}
    sent |= {name: {"data": FORMS.get(name.split()[1], {"reason": "x"})} for name, _ in pages(app)}
    wrong = []
    for name in sorted(sent.keys() - {"POST /logout"}, key=lambda one: one not in proven):
        method, path = name.split()
        more = {"name": "bob"} if "/accounts/{name}" in path or "/organizations/{name}" in path else {}
        more |= {"discussion_id": names["closed"]} if path.endswith("/reopen") else {}
        address = re.sub(r"\{([^}:]+)[^}]*\}", lambda match: (names | more).get(match[1], "x1"), path)  # noqa: B023
        answer = Api(app).request(method, address, headers=headers, **sent[name])
        if asks_for_factor(answer) is not (name in proven):
            wrong.append(f"{name}: {answer.status_code} {answer.text[:160]}")
    assert not wrong, "\n".join(wrong)


def test_the_table_names_every_route_that_writes_once(app: FastAPI) -> None:
    listed = [name for group in (*PROVEN.values(), *NOT_PROVEN.values()) for name in group]
    there = {name for name, _ in pages(app)} | api_bodies(app).keys()
    assert sorted(set(listed) - there) == []
    assert sorted(one for one in listed if listed.count(one) > 1) == []
    assert sorted(there - set(listed)) == []


def test_every_form_that_is_asked_for_the_factor_can_bring_it(app: FastAPI) -> None:
    proven = {name for group in PROVEN.values() for name in group}
    for name, route in pages(app):
        assert (proof._proven in _calls(route.dependant)) is (name in proven), name


def _calls(dependant: Dependant) -> list[object]:
    return [dependant.call, *(call for one in dependant.dependencies for call in _calls(one))]
