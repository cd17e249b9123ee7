"""A hub with a little of everything: a row in every table that a page or list of the API reads.

What people do is done by requests. What takes them months, a sandbox or a phone is written as it would lie there.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from fastapi import FastAPI
from sqlalchemy import select
from sqlalchemy.orm import Session

from hub_server.accounts.models import AccountRow, FormerMemberRow, RecoveryCodeRow, SecurityKeyRow
from hub_server.audits.models import (
    CaseDisputeRow,
    CounterExampleRow,
    LabelQuestionRow,
    LabelRow,
    NeighbourRow,
    SuiteResultRow,
)
from hub_server.catalog.models import DownloadDayRow, FormerOwnerRow, ReleaseRow
from hub_server.database.base import Base
from hub_server.database.events import EventRow
from hub_server.evaluations.models import BenchmarkRelationRow
from hub_server.kernel.services import Services
from hub_server.runs.models import TaskRateRow
from hub_server.trusted_publishing.models import TrustedPublisherRow
from hub_server.watches.models import NewsRow
from hub_server.webhooks.models import WebhookRow
from schemas.evidence.rates import Measurement
from schemas.journal.authors import key_claim
from schemas.journal.entries import encode
from schemas.measures.intervals import rate
from tests.making.catalogue import add_benchmark
from tests.making.catalogue import fill as fill_catalogue
from tests.making.hub import Api, make_package, run_jobs

PACKAGE = "alice/small-sums"
AT = f"/api/v1/packages/{PACKAGE}"
_KEY = Ed25519PrivateKey.from_private_bytes(b"a" * 32)
_SUITE = 'format = 1\nid = "alice/suite"\nkind = "suite"\nfamily = "short-number"\naudit = ["cases.jsonl"]\n'
_SUITE_CASES = (
    '{"id": "s1", "task": {"id": "t", "prompt": "1+1?", "answer": "2"}, "response": "2", "label": "correct"}\n'
)
_USER = """\
format = 1
id = "alice/user"
kind = "environment"
tasks = { train = "tasks.jsonl" }
verifier = "alice/small-sums@1.0.0"
"""
_TESTED = 'format = 1\nid = "alice/tested"\nkind = "benchmark"\nenvironments = ["alice/user@1.0.0"]\nsplit = "train"\n'
_VERDICTS = [
    {"by": f"{PACKAGE}@{version}", "rewards": {"correct": float(accepted)}, "accepted": accepted, "executed": True}
    for version, accepted in (("1.0.0", True), ("1.1.0", False))
]


def fill(app: FastAPI, services: Services) -> Api:
    """Fill a fresh hub of which alice is a moderator; returns her view, with her password just typed."""
    alice = Api(app, fill_catalogue(services))
    bob, carol = (alice.as_token(None).sign_up(name) for name in ("bob", "carol"))
    add_benchmark(services, str(alice.token))
    for package, manifest in (("alice/user", _USER), ("alice/tested", _TESTED), ("alice/suite", _SUITE)):
        wheel = make_package(package, manifest=manifest, package_files={"cases.jsonl": _SUITE_CASES})
        _done(alice, "POST", "/packages", content=wheel)
    run_jobs(services)
    _add_people(alice, bob.as_person(), carol)
    _add_account(alice)
    _add_talk(alice, bob)
    run_jobs(services)
    with services.database.writing() as session:
        _add_rows(session, services)
    return alice


def _done(api: Api, method: str, path: str, **more: Any) -> Mapping[str, Any]:
    answer = api.request(method, f"/api/v1{path}", **more)
    assert answer.status_code < 300, (path, answer.text)
    return answer.json() if answer.content else {}


def _add_people(alice: Api, bob: Api, carol: Api) -> None:
    """acme is alice's, with bob in it and carol invited; alice is invited to guild."""
    _done(alice, "POST", "/organizations", json={"name": "acme"})
    for account in ("bob", "carol"):
        _done(alice, "PUT", "/organizations/acme/members", json={"account": account})
    _done(bob, "POST", "/organizations/acme/invitation", json={"accept": True})
    _done(bob, "POST", "/organizations", json={"name": "guild"})
    _done(bob, "PUT", "/organizations/guild/members", json={"account": "alice"})
    _done(carol, "POST", "/packages", content=make_package("carol/gift"))
    _done(carol.as_person(), "POST", "/packages/carol/gift/transfer", json={"to": "alice"})
    _done(alice, "POST", "/packages/alice/unmeasured/transfer", json={"to": "carol"})


def _add_account(alice: Api) -> None:
    _done(alice, "POST", "/tokens", json={"name": "ci", "scopes": ["publish"]})
    claim = encode(_KEY.sign(key_claim("alice")))
    _done(alice, "POST", "/account/author-keys", json={"public_key": encode(_KEY.public_key().public_bytes_raw()), "claim": claim})  # fmt: skip
    for path in ("alice/small-sums", "carol"):
        _done(alice, "PUT", f"/account/watches/{path}")
    hook = {"owner": "alice", "url": "https://hooks.example.org/verihub"}
    made = _done(alice, "POST", "/webhooks", json=hook)["webhook"]["id"]
    _done(alice, "POST", f"/webhooks/{made}/test")


def _add_talk(alice: Api, bob: Api) -> None:
    """Cases, discussions, a collection, reports and what moderators did."""
    case = {"id": "c", "task_id": "t1", "response": "3", "label": "correct"}
    made = _done(bob, "POST", f"/packages/{PACKAGE}/releases/1.1.0/cases", json=case)["id"]
    _done(alice, "POST", f"/packages/{PACKAGE}/cases/{made}/second")
    talk = {"title": "A question", "text": "Words.", "case": made}
    opened = _done(bob, "POST", f"/packages/{PACKAGE}/discussions", json=talk)["id"]
    _done(alice, "POST", f"/packages/{PACKAGE}/discussions/{opened}/posts", json={"text": "An answer."})
    entries = [{"package": PACKAGE}, {"package": "alice/user"}]
    _done(alice, "PUT", "/collections/alice/shelf", json={"title": "A shelf", "entries": entries})
    report = {"reason": "other", "text": "Look at this."}
    _done(bob, "POST", "/packages/carol/gift/reports", json=report)
    _done(alice, "POST", "/blocked-names", json={"name": "gsm8k", "reason": "It is somebody's."})
    _done(alice, "POST", f"/packages/{PACKAGE}/releases/1.0.0/quarantine", json={"reason": "To look at it."})
    _done(alice, "POST", f"/packages/{PACKAGE}/releases/1.0.0/unquarantine", json={"reason": "It is sound."})
    other = _done(alice, "POST", "/runs", json={"name": "other", "model": "small"})["id"]
    _done(alice, "POST", f"/runs/{other}/metrics", json={"items": [{"step": 1, "values": {"reward": 0.5}}]})
    _done(alice, "POST", "/comparisons", json={"left": f"{PACKAGE}@1.0.0", "right": f"{PACKAGE}@1.1.0"})


def _add_rows(session: Session, services: Services) -> None:
    now = services.clock.now()
    first, second = session.scalars(
        select(ReleaseRow.id).where(ReleaseRow.package_id == PACKAGE).order_by(ReleaseRow.version)
    )
    lists = list(
        session.scalars(select(ReleaseRow.id).where(ReleaseRow.package_id.in_(["alice/ladder", "alice/tested"])))
    )
    case = session.scalars(select(CounterExampleRow)).one()
    news = session.scalars(select(EventRow.number)).first()
    measured = Measurement(tp=1, fn=0, fp=0, tn=0, unscored=0, fpr=rate(0, 0), fnr=rate(0, 1))
    alike = {"source_similarity": 0.9, "judged": 9, "agreed": 9, "distance": 0.0, "behaves_alike": True}
    related = {
        "names": [["alice/ladder", "1.0.0"], ["alice/tested", "1.0.0"]],
        "entries": 5,
        "kendall": None,
        "spearman": None,
        "is_redundant": False,
    }
    rows: list[Base] = [
        NeighbourRow(release_id=first, other_release_id=second, suite_digest="", found_at=now, **alike),
        NeighbourRow(release_id=second, other_release_id=first, suite_digest="", found_at=now, **alike),
        BenchmarkRelationRow(first_release_id=lists[0], second_release_id=lists[1], computed_at=now, relation=related),
        SuiteResultRow(release_id=second, suite="alice/suite", measurement=measured.model_dump(mode="json"), wrong={}),
        LabelQuestionRow(
            id="question", package_id=PACKAGE, case_key="k", version="1.1.0", case=case.case, verdicts=_VERDICTS,
            bits=1.0, priority=1.0, state="open", created_at=now,
        ),
        LabelRow(id="label", question_id="question", labelled_by="bob", answer="correct", labelled_at=now),
        CaseDisputeRow(case_id=case.id, account="carol"),
        DownloadDayRow(package_id=PACKAGE, day="2026-11-20", downloads=3, senders=1),
        TaskRateRow(package_id=PACKAGE, task_id="t1", major="1", successes=1, attempts=2, models=1),
        FormerOwnerRow(package_id=PACKAGE, owner="carol", until=now),
        NewsRow(account_id=_account(session, "alice"), event_number=news),
        RecoveryCodeRow(account_id=_account(session, "alice"), code_sha256="0" * 64),
        SecurityKeyRow(
            id="key", account_id=_account(session, "alice"), name="a key", credential_id="c", public_key="p",
            sign_count=0, created_at=now,
        ),
        TrustedPublisherRow(
            id="publisher", package_id=PACKAGE, provider="github", issuer="https://issuer.example.org",
            repository="alice/sums", workflow="release.yml", account_id=_account(session, "alice"), created_at=now,
        ),
        FormerMemberRow(organization_id=_account(session, "acme"), member="dave", left_at=now - timedelta(days=1)),
    ]  # fmt: skip
    session.add_all(rows)
    for hook in session.scalars(select(WebhookRow)):
        hook.disabled_reason = ""


def _account(session: Session, name: str) -> str:
    return session.scalars(select(AccountRow.id).where(AccountRow.name == name)).one()
