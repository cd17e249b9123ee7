"""Who sees a package is said, and a private one is made public only after a question."""

from schemas.package import Visibility
from tests.making.wheel import make_wheel

PACKAGE = "alice/small-sums"


def serve(scripted, visibility):
    release = scripted.add(make_wheel())
    card = {
        "id": PACKAGE, "kind": "environment", "summary": "", "tags": [], "licence": "", "latest": "1.0.0",
        "latest_digest": release.digest, "updated_at": "2026-11-21T12:00:00Z", "visibility": visibility,
    }  # fmt: skip
    return {"card": card, "owner": "alice", "created_at": "2026-11-21T12:00:00Z", "releases": []}


def test_it_is_said_who_sees_a_package(verihub, scripted):
    scripted.on("GET", f"/packages/{PACKAGE}", serve(scripted, Visibility.PRIVATE))
    said = verihub("visibility", PACKAGE)
    assert said.out.strip() == f"{PACKAGE} is private: only alice sees it, and its members"


def test_nothing_becomes_public_unasked(verihub, scripted, typed):
    typed("n\n")
    scripted.on("GET", f"/packages/{PACKAGE}", serve(scripted, Visibility.PRIVATE))
    said = verihub("visibility", PACKAGE, "public")
    assert said.code == 2
    assert "nothing was changed" in said.err


def test_a_yes_makes_it_public_and_a_public_one_is_left_alone(verihub, scripted):
    scripted.on("GET", f"/packages/{PACKAGE}", serve(scripted, Visibility.PRIVATE))
    scripted.on("POST", f"/packages/{PACKAGE}/public", serve(scripted, Visibility.PUBLIC))
    assert verihub("visibility", PACKAGE, "public", "--yes").out.strip() == f"{PACKAGE} is public: everybody sees it"
