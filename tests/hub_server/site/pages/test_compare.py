"""Two verifiers side by side: a form that keeps what was typed, and words where nothing can be shown."""

import pytest

from hub_server.kernel.services import Services
from tests.hub_server.site.conftest import Browser
from tests.making.hub import PASSWORD, Api, run_jobs

LEFT, OTHER = "alice/small-sums@1.0.0", "alice/unmeasured@1.0.0"


def test_the_empty_form_suggests_packages_that_judge(reader: Browser, catalogue: Api) -> None:
    page = reader.get("/compare")
    assert page.status == 200
    assert {"alice/small-sums", "alice/unmeasured"} <= {one.get("value") for one in page.all("option")}


@pytest.mark.parametrize(
    ("right", "words"),
    [
        ("alice/none", "no package alice/none"),
        ("no reference!", "no reference"),
        ("alice/small-sums@9.9", "no release"),
    ],
)
def test_what_cannot_be_compared_is_said_and_what_was_typed_is_kept(
    reader: Browser, catalogue: Api, right: str, words: str
) -> None:
    page = reader.get(f"/compare?left={LEFT}&right={right.replace(' ', '+')}")
    assert page.status == 200
    assert words in page.text
    assert LEFT in {one.get("value") for one in page.all("input")}


def test_a_strangers_text_is_text(reader: Browser, catalogue: Api) -> None:
    page = reader.get("/compare?left=%3Cscript%3Ealert(1)%3C/script%3E&right=" + "x" * 1000)
    assert "<script>alert" not in page.html


def test_a_comparison_is_asked_for_by_accounts_and_then_read_by_all(
    reader: Browser, catalogue: Api, services: Services
) -> None:
    pair = {"left": LEFT, "right": OTHER}
    assert reader.post("/compare", pair).status == 401
    reader.post("/login", {"name": "alice", "password": PASSWORD})
    asked = reader.post("/compare", pair)
    assert asked.status == 200
    assert asked.all("link", rel="alternate", type="application/json")
    run_jobs(services)
    page = reader.get(f"/compare?left={LEFT}&right={OTHER}")
    assert page.all("link", rel="alternate", type="application/json")
    listed = reader.get("/compare")
    assert "of verdicts the same" in listed.text, "on a phone the table has no head: a bare 95 % says nothing"
    turned = reader.get(f"/compare?left={OTHER}&right={LEFT}")
    assert turned.status == 200
    assert LEFT in turned.text
