"""A forgotten password and a second factor over HTTP, on both databases: rows are locked there in other words."""

import base64
from dataclasses import replace

from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.totp import TOTP
from fastapi import FastAPI

from tests.fakes.clock import FakeClock
from tests.fakes.mailer import FakeMailer
from tests.making.hub import PASSWORD, Api, run_jobs

NEW = "another long password"


def test_a_password_set_by_mail_leaves_the_second_factor_on(
    app: FastAPI, api: Api, alice: Api, clock: FakeClock
) -> None:
    mailer = FakeMailer()
    app.state.services = replace(app.state.services, mailer=mailer)
    person = alice.as_person()
    secret = person.post("/api/v1/account/second-factor").json()["secret"]
    totp = TOTP(base64.b32decode(secret), 6, SHA1(), 30)
    code = totp.generate(clock.now().timestamp()).decode()
    codes = person.request("PUT", "/api/v1/account/second-factor", json={"code": code}).json()["codes"]
    asked = [api.post("/api/v1/account/recovery", json={"account": name}) for name in ("alice", "nobody")]
    assert [(one.status_code, one.content) for one in asked] == [(202, b"null"), (202, b"null")]
    run_jobs(app.state.services)
    body = {"code": mailer.code, "new": NEW}
    assert api.post("/api/v1/account/recovery/password", json=body).status_code == 204
    assert api.post("/api/v1/account/recovery/password", json=body).status_code == 404
    assert alice.get("/api/v1/account").status_code == 401
    assert api.post("/api/v1/login", json={"name": "alice", "password": PASSWORD}).status_code == 401
    signed_in = {"name": "alice", "password": NEW}
    assert api.post("/api/v1/login", json=signed_in).json()["code"] == "second_factor_needed"
    assert api.post("/api/v1/login", json={**signed_in, "code": codes[0]}).status_code == 200
    assert api.post("/api/v1/login", json={**signed_in, "code": codes[0]}).status_code == 401
