"""Letting a device in."""

from tests.hub_server.site.conftest import Browser
from tests.making.hub import Api


def test_a_device_is_let_in_by_its_code(reader: Browser, api: Api) -> None:
    started = api.post("/api/v1/device/code", json={"client_name": "verihub on a laptop"}).json()
    assert reader.get("/device").url.startswith("http://hub.test/login")
    reader.sign_up("jun")
    shown = reader.get(f"/device?code={started['user_code']}")
    assert started["user_code"] in shown.html
    assert "calls itself verihub on a laptop" in shown.text
    assert "calls itself" not in reader.get("/device").text
    page = reader.post("/device", {"device": started["user_code"], "decision": "allow"})
    assert "is signed in as jun" in page.text
    collected = api.post("/api/v1/device/token", json={"device_code": started["device_code"]}).json()
    assert api.as_token(collected["secret"]).get("/api/v1/account").json()["name"] == "jun"


def test_a_code_that_nobody_gave_allows_nothing(reader: Browser) -> None:
    reader.sign_up("jun")
    page = reader.post("/device", {"device": "BCDF-GHJK", "decision": "allow"})
    assert page.status >= 400
    assert "Nothing was allowed" in page.text
