"""A hub with one of most things, so that requests reach what handles them."""

from fastapi import FastAPI

from hub_server.kernel.services import Services
from tests.making.hub import Api, make_package, run_jobs


def fill(app: FastAPI, services: Services) -> tuple[Api, dict[str, str]]:
    """(alice, who has typed her password; path parameter -> a thing of hers that exists)."""
    alice = Api(app).sign_up("alice")
    assert alice.publish(make_package()).status_code == 201
    run_jobs(services)
    run = alice.post("/api/v1/runs", json={"name": "r", "kind": "evaluation", "model": "m"}).json()["id"]
    case = {"id": "c", "task": {"id": "t", "prompt": "1+1", "answer": "2"}, "response": "3", "label": "correct"}
    made = alice.post("/api/v1/packages/alice/small-sums/releases/1.0.0/cases", json=case)
    known = {
        "owner": "alice", "name": "small-sums", "version": "1.0.0", "run_id": run, "account": "alice",
        "case_id": made.json().get("id", "x"), "organization": "acme", "split": "train",
    }  # fmt: skip
    person = alice.as_person()
    assert person.post("/api/v1/organizations", json={"name": "acme"}).status_code in (200, 201)
    return person, known
