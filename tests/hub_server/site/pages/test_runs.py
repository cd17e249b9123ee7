"""The list of runs: filters stay while one pages, and what a stranger names is text."""

from urllib.parse import parse_qs, urlsplit

from tests.hub_server.site.conftest import Browser
from tests.making.hub import Api

PIN = {"package": "alice/small-sums", "version": "1.1.0", "digest": "sha256:0"}


def test_pages_keep_the_filter_and_show_every_run_once(reader: Browser, catalogue: Api) -> None:
    for number in range(24):
        assert catalogue.post("/api/v1/runs", json={"name": f"run-{number:02d}", "packages": [PIN]}).status_code == 201
    first = reader.get("/runs?owner=alice&package=alice/small-sums")
    (following,) = {link for link in first.links if "cursor=" in link}
    asked = parse_qs(urlsplit(following).query)
    assert (asked["owner"], asked["package"]) == (["alice"], ["alice/small-sums"])
    second = reader.get(following.replace("http://hub.test", ""))
    names = [f"run-{number:02d}" for number in range(24)]
    assert all((name in first.text) != (name in second.text) for name in names)
    twin = first.all("link", rel="alternate", type="application/json")[0]["href"]
    assert "owner=alice" in twin


def test_runs_are_found_by_model_kind_and_state_and_the_form_keeps_what_was_asked(
    reader: Browser, catalogue: Api
) -> None:
    for name, kind, model in (
        ("one", "evaluation", "small"),
        ("two", "training", "small"),
        ("three", "evaluation", "big"),
    ):
        body = {"name": name, "kind": kind, "model": model}
        run = catalogue.post("/api/v1/runs", json=body).json()["id"]
        if name == "three":
            assert catalogue.request("PATCH", f"/api/v1/runs/{run}", json={"state": "failed"}).status_code == 200

    def found(query: str) -> set[str]:
        page = reader.get(f"/runs?{query}")
        shown = {name for name in ("one", "two", "three") if f">{name}<" in page.html}
        twin = page.all("link", rel="alternate", type="application/json")[0]["href"]
        assert shown == {item["name"] for item in catalogue.get(twin).json()["items"]} & {"one", "two", "three"}
        return shown

    assert found("model=small") == {"one", "two"}
    assert found("model=small&kind=evaluation&state=") == {"one"}
    assert found("state=failed") == {"three"}
    assert found("state=no-such&kind=&owner=+&model=big") == {"three"}
    form = reader.get("/runs?model=small&state=failed")
    assert 'value="small"' in form.html
    assert "No run fits these filters" in form.text


def test_a_filter_that_finds_nothing_says_so_and_a_name_is_text(reader: Browser, catalogue: Api) -> None:
    empty = reader.get("/runs?owner=nobody")
    assert empty.status == 200
    assert "grpo-fractions-14" not in empty.text
    assert catalogue.post("/api/v1/runs", json={"name": "<script>alert(1)</script>"}).status_code == 201
    assert "<script>alert" not in reader.get("/runs").html
    assert "<script>alert" not in reader.get("/runs?owner=%3Cscript%3Ealert(1)").html
    assert reader.get("/runs?cursor=nonsense").status == 422
