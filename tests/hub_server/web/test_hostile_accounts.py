"""Every route of the API and every page as a hostile account: it reads nothing private, and no row changes.

One hub for the whole table. Whether something was written is asked of the database, not of the answer. Who is hostile: an owner of
another organisation, an owner of this one who was suspended, a token that lacks the one scope that counts, and whoever goes on with
a package in quarantine.
"""

import re
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi.routing import APIRoute

from hub_server.app import create_app
from schemas.account import Scope
from tests.hub_server.test_private_packages import pin
from tests.hub_server.web.test_ownership import ANYBODYS
from tests.hub_server.web.test_proofs import BODIES, FORMS, api_bodies, pages, routes
from tests.making.catalogue import make_services
from tests.making.hub import PASSWORD, Api, make_package, run_jobs

API, PACKAGE = "/api/v1", "/packages/{owner}/{name}"
POST_AT = PACKAGE + "/discussions/{discussion_id}/posts/{number}"
OPEN, HUSH, BAD = "acme/open", "acme/hush", "acme/bad"
SECRET = re.compile("whisper|hush", re.IGNORECASE)
SAY = {"title": "t", "text": "t", "reason": "spam"}
TYPED = FORMS | {
    "/collections": {"id": "acme/new", "title": "t"},
    "/collections/{owner}/{name}/delete": {"sure": "yes"},
    "/collections/{owner}/{name}/report": SAY,
    "/owners/{owner}/report": SAY,
    "/compare": {"left": f"{OPEN}@1.0.0", "right": f"{HUSH}@1.0.0"},
    "/label/{question_id}": {"answer": "correct"},
    "/login": {"name": "sue", "password": PASSWORD},
    "/signup": {"name": "sue", "email": "sue@example.org", "password": PASSWORD},
    "/account/invitations/{organization}": {"answer": "accept"},
    "/account/password": {"old": PASSWORD, "new": PASSWORD + "!"},
    "/account/proof": {"password": PASSWORD},
    "/account/recovery": {"account": "sue"},
    "/account/watches": {"pace": "day"},
    "/theme": {"theme": "dark"},
    "/owners/{owner}/watch": {"act": "watch"},
    f"{PACKAGE}/watch": {"act": "watch"},
    f"{PACKAGE}/report": SAY,
    f"{PACKAGE}/discussions": SAY,
    f"{PACKAGE}/discussions/{{discussion_id}}/posts": SAY,
    f"{PACKAGE}/discussions/{{discussion_id}}/posts/{{number}}": SAY,
    f"{PACKAGE}/discussions/{{discussion_id}}/posts/{{number}}/delete": {"sure": "yes"},
    f"{PACKAGE}/discussions/{{discussion_id}}/follow": {"act": "follow"},
    f"{PACKAGE}/cases/report": {"case": "c1", "reason": "x"},
    f"{PACKAGE}/releases/{{version}}/cases": {"task_id": "t1", "response": "five", "label": "incorrect"},
    f"{PACKAGE}/releases/{{version}}/cases/new": {"task_id": "t1", "response": "five", "label": "incorrect"},
    f"{PACKAGE}/releases/{{version}}/try": {"task": '{"id": "t", "prompt": "p"}', "response": "5"},
}
"""What is typed into each form that asks for something."""

LOGIN = {"name": "sue", "password": PASSWORD}
SENT = {
    f"POST {API}/login": LOGIN,
    f"POST {API}/sudo": LOGIN,
    f"POST {API}/account/recovery": {"account": "sue"},
    f"POST {API}/comparisons": {"left": f"{OPEN}@1.0.0", "right": f"{HUSH}@1.0.0"},
}
OF_ANYBODY = (
    routes("POST", "/login", "/login/code", "/login/key-question", "/signup", "/logout", "/theme", "/account/recovery")
    | routes("POST", "/account/recovery/password", "/account/email/confirmation", "/unsubscribe/{code}")
    | routes("POST", "/accounts", "/login", "/sudo", "/account/recovery", "/account/recovery/password", under=API)
    | routes("POST", "/account/email/confirmation", "/tokens/revoke", "/trusted-publishing/token", under=API)
    | routes("POST", "/device/code", "/device/token", "/device/proof", under=API)
)
"""Routes about no thing of anybody's: what is sent is the only proof."""
RUNS_CODE = {f"POST {API}{PACKAGE}/releases/{{version}}/{act}" for act in ("judge", "score")}
"""They need no account for a public package, and store nothing."""


class Rows:
    """What the database holds, by another connection."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path)
        self._version, self._tables = self._now(), self._read()

    def changed(self, but: tuple[str, ...] = ()) -> list[str]:
        """The tables whose rows have changed since the last question."""
        version = self._now()
        if version == self._version:
            return []
        before, self._tables, self._version = self._tables, self._read(), version
        return sorted(name for name, rows in self._tables.items() if rows != before.get(name) and name not in but)

    def close(self) -> None:
        self._connection.close()

    def _now(self) -> int:
        return int(self._connection.execute("PRAGMA data_version").fetchone()[0])

    def _read(self) -> dict[str, list[Any]]:
        names = [name for (name,) in self._connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: self._connection.execute(f'SELECT * FROM "{name}"').fetchall() for name in names}


class Hub:
    """acme's packages: ``open``, ``hush`` (private) and ``bad`` (in quarantine). ann owns acme, sue did too, eve owns another organisation."""

    def __init__(self, folder: Path) -> None:
        made = make_services(folder)
        many = {"writes_burst": 10**6, "reads_burst": 10**6, "logins_burst": 10**6}
        limits = made.settings.limits.model_copy(update=many)
        self.services = replace(made, settings=made.settings.model_copy(update={"limits": limits}))
        self.app = create_app(self.services)
        self.anonymous = Api(self.app)
        people = {name: self.anonymous.sign_up(name) for name in ("ann", "sue", "eve", "moda")}
        self.sues_token = people["sue"]
        self.ann, self.sue, self.eve = (people[name].as_person() for name in ("ann", "sue", "eve"))
        self.moda = people["moda"]
        self._make_things()
        self._suspend_sue()
        self.rows = Rows(folder / "hub.sqlite3")

    def _make_things(self) -> None:
        for who, name in ((self.ann, "acme"), (self.eve, "evil")):
            self.made(who, "organizations", name=name)
        self.made(self.ann, "organizations/acme/members", "PUT", account="sue", role="owner")
        self.made(self.sue, "organizations/acme/invitation", accept=True)
        tasks = "".join(f'{{"id": "t{number}", "prompt": "whisper", "answer": 4}}\n' for number in (1, 2))
        files = {"tasks.jsonl": tasks, "whisper.py": "WHISPER = 1\n"}
        for package, version in ((OPEN, "1.0.0"), (HUSH, "1.0.0"), (BAD, "1.0.0"), (BAD, "1.1.0")):
            query = "?visibility=private" if package == HUSH else ""
            wheel = make_package(package, version, package_files={} if package == OPEN else files)
            sent = self.ann.post(f"{API}/packages{query}", content=wheel)
            assert sent.status_code == 201, sent.text
        run_jobs(self.services)
        self.of = {OPEN: self._things_about(OPEN, "spoken"), HUSH: self._things_about(HUSH, "whisper")}
        self.of[BAD] = self._things_about(BAD, "spoken")
        self.made(self.moda.as_person(), f"packages/{BAD}/quarantine", reason="it steals")

    def _things_about(self, package: str, word: str) -> dict[str, str]:
        """Ids of what ann has made about ``package``, by the names that paths give them."""
        at = f"packages/{package}"
        run = self.made(self.ann, "runs", name=word, kind="training", model=word, packages=[pin(package)])
        task = {"id": "t", "prompt": word, "answer": 4}
        case = {"id": "c1", "task": task, "response": "five", "label": "incorrect"}
        hook = self.made(self.ann, "webhooks", owner="acme", package=package, url="https://hooks.example/")["webhook"]
        kind = {"title": word, "text": word, "entries": [{"package": package}]}
        kind |= {"visibility": "private"} if package == HUSH else {}
        self.made(self.ann, f"collections/acme/{package[5:]}", "PUT", **kind)
        report = {"reason": "spam", "text": word}
        return {
            "run_id": run["id"],
            "case_id": self.made(self.ann, f"{at}/releases/1.0.0/cases", **case)["id"],
            "discussion_id": self.made(self.ann, f"{at}/discussions", title=word, text=word)["id"],
            "report_id": self.made(self.ann, f"{at}/reports", **report)["id"],
            "webhook_id": hook["id"],
            "delivery_id": self.made(self.ann, f"webhooks/{hook['id']}/test")["id"],
            "token_id": self.made(self.ann, "tokens", name=word)["token"]["id"],
            "session_id": self.ann.get(f"{API}/sessions").json()["items"][0]["id"],
        }

    def _suspend_sue(self) -> None:
        signed_in = self.anonymous.post("/login", data=LOGIN)
        self.sues_cookie = {
            "Cookie": signed_in.headers["set-cookie"].partition(";")[0],
            "Sec-Fetch-Site": "same-origin",
        }
        assert SECRET.search(self.anonymous.get(f"/packages/{HUSH}", headers=self.sues_cookie).text), "she was inside"
        self.made(self.moda.as_person(), "accounts/sue/suspend", reason="x")

    def made(self, who: Api, path: str, method: str = "POST", /, **body: Any) -> dict[str, Any]:
        answer = who.request(method, f"{API}/{path}", json=body)
        assert answer.status_code < 300, answer.text
        return answer.json() if answer.content else {}

    def token(self, *scopes: Scope, **more: str) -> Api:
        made = self.made(self.ann, "tokens", name="t", scopes=[scope.value for scope in scopes], **more)
        self.rows.changed()
        return self.ann.as_token(made["secret"])

    def writes(self, package: str) -> Iterator[tuple[str, str, str, dict[str, Any]]]:
        """(route, method, address, what is sent) of every route that writes, about ``package`` where it is about one."""
        bodies = api_bodies(self.app) | SENT
        sent = {name: {"json": BODIES.get(name, body)} for name, body in bodies.items()}
        sent |= {name: {"data": TYPED.get(name.split()[1], {"reason": "x"})} for name, _ in pages(self.app)}
        sent[f"POST {API}/packages"] = {"content": make_package(package, "2.0.0")}
        for name, more in sorted(sent.items()):
            method, path = name.split()
            yield name, method, self.address(path, package), more

    def reads(self, package: str) -> Iterator[tuple[str, str]]:
        """(route, address) of every route that reads."""
        for route in self.app.router.routes:
            if isinstance(route, APIRoute) and "GET" in (route.methods or ()):
                yield route.path, self.address(route.path, package)

    def address(self, path: str, package: str) -> str:
        owner, name = package.split("/")
        if "/organizations/" in path or "/accounts/" in path:
            name = "ann" if "/accounts/" in path else "acme"
        values = {"owner": owner, "name": name, "version": "1.0.0", "account": "ann", "organization": "acme", "number": "1",
                  "project": package.replace("/", "-"), "path": f"acme_{name}/__init__.py", "digest": "0" * 64 if "/simple" in path else "sha256:" + "0" * 64,
                  "filename": f"acme_{name}-1.0.0-py3-none-any.whl", "rollout_id": "1", **self.of[package]}  # fmt: skip
        return re.sub(r"\{(\w+)(?::\w+)?\}", lambda match: values.get(match[1], "x1"), path)


@pytest.fixture(scope="module")
def hub(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    folder = tmp_path_factory.mktemp("hub")
    (folder / "hub.sqlite3").write_bytes(sqlite_template.read_bytes())
    made = Hub(folder)
    yield made
    made.rows.close()
    made.services.close()


def is_refused(answer: httpx.Response) -> bool:
    to_login = answer.status_code == 303 and re.match(r"/(login|account/proof)", answer.headers["location"])
    return bool(to_login) or answer.status_code in (401, 403, 404)


NEEDS = {
    Scope.PUBLISH: (
        routes("POST", "/packages", PACKAGE + "/public", PACKAGE + "/archive", PACKAGE + "/unarchive", under=API)
        | routes("PUT DELETE", "/collections/{owner}/{name}", under=API)
        | {f"DELETE {API}/uploads/{{digest}}", f"PUT {API}/uploads/{{digest}}/parts/{{number}}"}
        | {f"POST {API}{PACKAGE}/releases/{{version}}/{act}" for act in ("yank", "unyank", "deprecate", "undeprecate")}
    ),
    Scope.RUNS: (
        routes("POST", "/runs", "/runs/{run_id}/metrics", "/runs/{run_id}/rollouts", under=API)
        | routes("PATCH", "/runs/{run_id}", under=API)
        | routes("POST", "/benchmarks/{owner}/{name}/releases/{version}/results", under=API)
    ),
    Scope.CASES: (
        routes("POST", "/collections/{owner}/{name}/reports", PACKAGE + "/reports", "/comparisons", under=API)
        | routes("POST", "/owners/{owner}/reports", under=API)
        | routes("POST", PACKAGE + "/discussions", PACKAGE + "/discussions/{discussion_id}/posts", under=API)
        | routes("PUT DELETE", POST_AT, PACKAGE + "/discussions/{discussion_id}/follow", under=API)
        | routes("POST", "/label/questions/{question_id}/labels", PACKAGE + "/label/gather", under=API)
        | routes("POST", PACKAGE + "/cases/dispute", PACKAGE + "/cases/report", under=API)
        | {f"POST {API}{PACKAGE}/cases/{{case_id}}/{act}" for act in ("dispute", "second")}
        | {f"POST {API}{PACKAGE}/discussions/{{discussion_id}}/{act}" for act in ("close", "reopen")}
        | {f"POST {API}{PACKAGE}/releases/{{version}}/{act}" for act in ("audits", "cases")}
    ),
    Scope.READ: (
        routes("PUT DELETE", "/account/watches/{owner}", "/account/watches/{owner}/{name}", under=API)
        | routes("PUT", "/account/watches", under=API)
        | routes("POST DELETE", PACKAGE + "/releases/{version}/mcp", under=API)
    ),
}
"""The one scope that a route of the API needs; every other route that writes needs a person."""


def is_about_something(name: str) -> bool:
    """Not about the caller's own account, what that watches, or reports of owners, whom everybody sees."""
    if name.endswith(("/account/watches/{owner}", "/owners/{owner}/watch", "/owners/{owner}/report")):
        return False
    if name == f"POST {API}/owners/{{owner}}/reports":
        return False
    return "{" in name or name in (f"POST {API}/comparisons", "POST /compare", f"POST {API}/packages")


OF_PAGES = {path.removeprefix(API) for path in ANYBODYS} | {
    "/label/{question_id}",
    "/owners/{owner}/watch",
    f"{PACKAGE}/discussions/{{discussion_id}}/posts",
    f"{PACKAGE}/releases/{{version}}/cases/new",
    f"{PACKAGE}/releases/{{version}}/try",
    f"{PACKAGE}/report",
    f"{PACKAGE}/watch",
    "/collections/{owner}/{name}/report",
    "/collections/{owner}/{name}/reports",
}


def is_for_anybody(name: str) -> bool:
    """A write about what is public that adds a row of the writer's own, or has it measured again."""
    path = name.split()[1]
    return path.removeprefix(API) in OF_PAGES or path.endswith(("/comparisons", "/compare"))


@pytest.mark.parametrize("package", [HUSH, OPEN])
def test_an_owner_of_another_organisation_changes_nothing_of_this_one(hub: Hub, package: str) -> None:
    wrong, asked = [], 0
    for name, method, address, more in hub.writes(package):
        if (
            name in OF_ANYBODY
            or "/uploads/" in name
            or not is_about_something(name)
            or (package == OPEN and is_for_anybody(name))
        ):
            continue
        asked += 1
        answer = hub.eve.request(method, address, **more)
        changed = hub.rows.changed(
            but=("activity", "upload_days")
        )  # bytes that were sent count, whatever becomes of them
        if changed or answer.status_code >= 500 or (answer.status_code < 300 and SECRET.search(answer.text)):
            wrong.append(f"{name}: {answer.status_code} {changed} {answer.text[:160]}")
    assert not wrong, "\n".join(wrong)
    assert asked > 70


def test_a_suspended_owner_reads_and_writes_no_more(hub: Hub) -> None:
    """By her token, and in the browser in which she was signed in: there she is anybody."""
    wrong = []
    writes = [one for one in hub.writes(HUSH) if one[0] != f"POST {API}/accounts"]  # anybody may make another one
    asked = [(f"GET {path}", "GET", address, {}) for path, address in hub.reads(HUSH)]
    for number, (name, method, address, more) in enumerate([*writes, *asked, *writes]):
        who, headers = (hub.sues_token, {}) if number < len(writes) else (hub.anonymous, hub.sues_cookie)
        answer = who.request(method, address, headers=headers, **more)
        # Tries at a password are counted, and anybody asks for a code, or to be mailed.
        changed = hub.rows.changed(but=("rate_buckets", "device_logins", "jobs"))
        shown = answer.status_code < 300 and SECRET.search(answer.text)
        if changed or shown or "verihub_" in answer.headers.get("set-cookie", "") or answer.status_code >= 500:
            wrong.append(f"{name}: {answer.status_code} {changed} {answer.text[:160]}")
    assert not wrong, "\n".join(wrong)


def test_a_token_does_what_its_scope_says_and_nothing_else(hub: Hub) -> None:
    """Each route as the owner's token that has every scope but the one; a route that needs a person, as one with all."""
    lacking = {scope: hub.token(*(set(Scope) - {scope})) for scope in NEEDS}
    needed = {name: scope for scope, names in NEEDS.items() for name in names}
    full, wrong = hub.token(*Scope), []
    api = [one for one in hub.writes(OPEN) if API in one[0] and one[0] not in OF_ANYBODY | RUNS_CODE]
    assert needed.keys() - {one[0] for one in api} == set()
    for name, method, address, more in api:
        answer = (lacking[needed[name]] if name in needed else full).request(method, address, **more)
        changed = hub.rows.changed(but=("rate_buckets",))
        if not is_refused(answer) or changed:
            wrong.append(f"{name}: {answer.status_code} {changed} {answer.text[:160]}")
    assert not wrong, "\n".join(wrong)


def test_a_token_that_may_not_read_is_shown_what_everybody_is(hub: Hub) -> None:
    token, wrong = hub.token(*(set(Scope) - {Scope.READ})), []
    for path, address in hub.reads(HUSH):
        answer = token.get(address)
        if hub.rows.changed() or answer.status_code >= 500 or (answer.status_code < 300 and SECRET.search(answer.text)):
            wrong.append(f"{path}: {answer.status_code} {answer.text[:160]}")
    assert not wrong, "\n".join(wrong)


STILL = (
    routes("PUT DELETE", "/account/watches/{owner}/{name}", under=API)
    | routes("PUT DELETE", PACKAGE + "/discussions/{discussion_id}/follow", under=API)
    | routes("POST", PACKAGE + "/discussions/{discussion_id}/follow", PACKAGE + "/watch", PACKAGE + "/report")
    | routes("POST", PACKAGE + "/discussions/{discussion_id}/state", POST_AT + "/delete")
    | {f"POST {API}{PACKAGE}/discussions/{{discussion_id}}/{act}" for act in ("close", "reopen")}
    | {f"DELETE {API}{POST_AT}", f"POST {API}{PACKAGE}/reports", f"POST {API}{PACKAGE}/unarchive"}
)
"""What may still be done about a package in quarantine: report it, delete one's words, follow, close. None adds words to it."""
HANDS_OUT = re.compile(r"/(wheel|tasks|try|code|mcp)$|/(code|files)/\{path:path\}$|\{filename\}$|/diff$")


def test_nothing_is_added_to_a_package_in_quarantine_and_none_of_its_content_is_handed_out(hub: Hub) -> None:
    """By its owner, who may most."""
    wrong, refused = [], 0
    for name, method, address, more in hub.writes(BAD):
        if PACKAGE in name and name not in STILL:
            answer = hub.ann.request(method, address, **more)
            changed = hub.rows.changed(but=("activity",))
            if changed or answer.status_code >= 500:
                wrong.append(f"{name}: {answer.status_code} {changed} {answer.text[:160]}")
    for path, address in hub.reads(BAD):
        answer = hub.ann.get(address + ("?from=1.0.0&to=1.1.0" if path.endswith("/diff") else ""))
        hands_out = HANDS_OUT.search(path) is not None and "collections" not in path
        refused += hands_out
        if (hands_out and answer.status_code not in (404, 410)) or "WHISPER = 1" in answer.text:
            wrong.append(f"{path}: {answer.status_code} {answer.text[:160]}")
    assert not wrong, "\n".join(wrong)
    assert refused >= 8
