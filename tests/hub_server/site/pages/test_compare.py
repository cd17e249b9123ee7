"""Two verifiers side by side: a form that keeps what was typed, and words where nothing can be shown."""

from datetime import UTC, datetime

import pytest

from hub_server.audits.models import ComparisonRow
from hub_server.catalog.models import ReleaseRow
from hub_server.kernel.services import Services
from hub_server.site.pages.compare import side_names
from schemas.comparison import VerifierComparison
from schemas.evidence.rates import Rate
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


def parted(number: int, side: str, tags: list[str], origin: str = "author") -> dict:
    """A case on which both part; ``side`` is right."""
    is_first = side == "first"
    return {
        "case": f"c{number}", "label": "correct", "first": is_first, "second": not is_first, "first_rewards": {},
        "second_rewards": {}, "sides_with": side, "task": {"id": f"t{number}", "prompt": f"task {number}?", "tags": tags},
        "response": f"answer {number}", "origin": origin,
    }  # fmt: skip


def test_heads_name_both_sides_and_a_filter_leaves_the_cases_that_are_asked_for(
    reader: Browser, catalogue: Api, services: Services
) -> None:
    cases = [parted(1, "first", ["fractions"]), parted(2, "second", ["fractions"], "suite"), parted(3, "second", [])]
    with services.database.writing() as session:
        releases = {row.package_id: row.id for row in session.query(ReleaseRow) if row.version == "1.0.0"}
        left, right = releases["alice/small-sums"], releases["alice/unmeasured"]
        result = VerifierComparison(
            first=LEFT, second=OTHER, case_count=9, counts={"accepted/rejected": 1, "rejected/accepted": 2},
            agreement=Rate(value=0.6, low=0.3, high=0.9), kappa=None, distance=None,
            disagreements=cases, disagreement_count=3, judged=9, agreed=6,
        ).model_dump(mode="json")  # fmt: skip
        now = datetime(2026, 11, 1, tzinfo=UTC)
        session.add(
            ComparisonRow(
                id="c1", left_release_id=left, right_release_id=right, state="done", created_at=now, finished_at=now,
                result=result,
            )
        )  # fmt: skip
    url = f"/compare?left={LEFT}&right={OTHER}"
    page = reader.get(url)
    assert "small-sums accepts" in page.text
    assert "unmeasured rejects" in page.text
    assert "second accepts" not in page.text
    assert "fractions (2)" in page.text, "each filter says how many cases it leaves"
    shown = {"": "123", "&family=fractions": "12", "&wins=second": "23", "&wins=second&family=fractions": "2"}
    for more, numbers in (shown | {"&origin=suite": "2", "&origin=none": ""}).items():
        text = reader.get(url + more).text
        assert [n for n in "123" if f"answer {n}" in text] == list(numbers), more
    assert "Clear the filters" in reader.get(url + "&origin=none").text


@pytest.mark.parametrize(
    ("first", "second", "names"),
    [
        ("alice/sums@1.0.0", "bob/numbers@2.0.0", ("sums", "numbers")),
        ("alice/sums@1.0.0", "bob/sums@1.0.0", ("alice/sums", "bob/sums")),
        ("alice/sums@1.0.0", "alice/sums@1.1.0", ("sums 1.0.0", "sums 1.1.0")),
    ],
)
def test_the_shortest_names_that_tell_two_apart(first: str, second: str, names: tuple[str, str]) -> None:
    assert side_names(first, second) == names
