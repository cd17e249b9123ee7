"""An account's ledger as a page."""

from tests.hub_server.site.conftest import Browser
from tests.making.hub import Api

RELEASE = "/packages/alice/small-sums/releases/1.1.0"


def test_a_case_line_and_the_owners_page_lead_to_the_ledger(app, reader: Browser, catalogue: Api) -> None:
    reader.sign_up("jun")
    reader.post(f"{RELEASE}/cases", {"task_id": "t2", "response": "five", "label": "correct"})
    moda = Browser(app)
    moda.sign_up("moda")
    page = moda.get(f"{RELEASE}/cases")
    assert any(link.endswith("/owners/jun/standing") for link in page.links)
    second = next(a["action"] for a in page.all("form") if a.get("action", "").endswith("/second"))
    moda.post(second, {})
    for path in ("/owners/jun", "/account"):
        assert any(link.endswith("/owners/jun/standing") for link in reader.get(path).links), path
    found = Browser(app).get("/owners/jun/standing")
    assert "1 point. 2 points more" in found.text
    assert "a moderator confirmed its label" in found.text
    assert any(f"{RELEASE}/cases#" in link for link in found.links)
    assert Browser(app).get("/owners/nobody/standing").status == 404
