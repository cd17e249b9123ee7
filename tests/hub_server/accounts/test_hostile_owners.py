"""Owners of an organisation who turn on one another, at the same moment. On both databases."""

import threading

import pytest

from tests.making.hub import Api

LAB = "/api/v1/organizations/lab"


@pytest.fixture
def owners(alice: Api, bob: Api) -> tuple[Api, Api]:
    """lab, of alice and bob."""
    alice, bob = alice.as_person(), bob.as_person()
    assert alice.post("/api/v1/organizations", json={"name": "lab"}).status_code == 201
    asked = alice.request("PUT", f"{LAB}/members", json={"account": "bob", "role": "owner"})
    assert asked.status_code == 200, asked.text
    assert bob.post(f"{LAB}/invitation", json={"accept": True}).status_code == 200
    return alice, bob


def at_once(*acts) -> list[int]:
    """The statuses of the answers, in the order in which they came."""
    barrier, statuses = threading.Barrier(len(acts)), []

    def run(act) -> None:
        barrier.wait(30)
        statuses.append(act().status_code)

    threads = [threading.Thread(target=run, args=(act,)) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return statuses


def owner_names(reader: Api) -> list[str]:
    return [one["account"] for one in reader.get(LAB).json()["members"] if one["role"] == "owner"]


@pytest.mark.parametrize(
    "how", ["both leave", "both step down", "each removes the other", "one leaves, one steps down"]
)
def test_an_owner_stays_whatever_two_do_at_once(owners: tuple[Api, Api], how: str) -> None:
    def leave(by: Api, whom: str):
        return lambda: by.request("DELETE", f"{LAB}/members/{whom}")

    def step_down(by: Api, whom: str):
        return lambda: by.request("PUT", f"{LAB}/members", json={"account": whom, "role": "member"})

    alice, bob = owners
    acts = {
        "both leave": (leave(alice, "alice"), leave(bob, "bob")),
        "both step down": (step_down(alice, "alice"), step_down(bob, "bob")),
        "each removes the other": (leave(alice, "bob"), leave(bob, "alice")),
        "one leaves, one steps down": (leave(alice, "alice"), step_down(bob, "bob")),
    }
    statuses = sorted(at_once(*acts[how]))
    assert (statuses[0], len(statuses), statuses[1] in (403, 404, 409)) == (200, 2, True), statuses
    assert len(owner_names(alice)) == 1
