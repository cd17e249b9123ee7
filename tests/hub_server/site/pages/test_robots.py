"""Search engines find packages and documents, and no private package."""

from tests.hub_server.site.conftest import Browser
from tests.making.hub import Api, make_package


def test_a_crawler_is_told_what_to_leave_alone_and_where_everything_is(reader: Browser, catalogue: Api) -> None:
    assert catalogue.post("/api/v1/packages?visibility=private", content=make_package("alice/hush")).status_code == 201
    rules = reader.get("/robots.txt").answer.text
    assert "Disallow: /api/" in rules
    assert rules.splitlines()[-1] == "Sitemap: http://hub.test/sitemap.xml"
    listed = reader.get("/sitemap.xml").answer.text
    assert "<loc>http://hub.test/packages/alice/small-sums</loc>" in listed
    assert "hush" not in listed
    for path in listed.split("<loc>http://hub.test")[1:8]:
        assert reader.get(path.split("</loc>")[0]).status == 200


def test_a_shared_link_shows_title_and_summary(reader: Browser, catalogue: Api) -> None:
    page = reader.get("/packages/alice/small-sums")
    [title] = page.all("meta", property="og:title")
    assert title["content"].startswith("alice/small-sums")
    assert page.all("meta", property="og:description")[0]["content"]
