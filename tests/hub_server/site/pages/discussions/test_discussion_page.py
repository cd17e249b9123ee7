"""The page of one discussion: what a stranger's Markdown cannot do there, how much is rendered, who may do what."""

from hub_server.site.pages.discussions import discussion_page
from hub_server.site.rendering.markdown import MOST_README_CHARACTERS
from schemas.discussions import Discussion, Post
from tests.hub_server.site.conftest import Browser
from tests.making.hub import Api

ALL = "/packages/alice/small-sums/discussions"
API = f"/api/v1{ALL}"
HOSTILE = (
    "# Heading\n<script>alert(1)</script> <img src=x onerror=alert(1)> ![x](https://evil.example/x.png) "
    "[go](javascript:alert(1)) [data](data:text/html,x) <a href='//evil.example'>x</a>\n\n```\n</code><b>x\n```"
)


def begin(api: Api, title: str = "A question", text: str = "Words.") -> str:
    return str(api.post(API, json={"title": title, "text": text}).json()["id"])


def test_what_a_stranger_writes_runs_nothing_and_loads_nothing(reader: Browser, catalogue: Api, bob: Api) -> None:
    discussion = begin(bob, "<b>bold</b><script>", HOSTILE)
    bob.post(f"{API}/{discussion}/posts", json={"text": HOSTILE})
    catalogue.post(f"{API}/{discussion}/close", json={"reason": "<i>no</i>"})
    for path in (ALL, f"{ALL}/{discussion}", "/packages/alice/small-sums"):
        page = reader.get(path)
        assert (page.status, page.headings) == (200, 1)
        assert "<b>bold" not in page.html
        assert "<i>no" not in page.html
        assert "alert(1)</script>" not in page.html
        assert not [a for _, a in page.elements if any(name.startswith("on") for name in a)]
        assert not [a for a in page.all("a") if a.get("href", "").startswith(("javascript", "data", "//"))]
        assert not [a for _, a in page.elements if "evil.example" in a.get("src", "")]
        identifiers = [a["id"] for _, a in page.elements if "id" in a]
        assert len(identifiers) == len(set(identifiers))


def test_long_posts_are_spread_over_pages(reader: Browser, catalogue: Api) -> None:
    discussion = begin(catalogue)
    for number in range(2, 12):
        catalogue.post(f"{API}/{discussion}/posts", json={"text": f"{number} " + "x" * 7_900})
    page, numbers = reader.get(f"{ALL}/{discussion}"), []
    while True:
        shown = [a["id"] for a in page.all("li", class_="case")]
        numbers += shown
        assert len(page.text) < MOST_README_CHARACTERS + 5_000
        later = page.all("a", rel="next")
        if not later:
            break
        page = reader.get(later[0]["href"])
    assert numbers == [f"p{number}" for number in range(1, 12)]


def test_one_that_is_longer_than_a_page_is_shown_alone(catalogue: Api) -> None:
    """A row of another time: no post of today is as long."""
    posts = [one.model_copy(update={"text": "x" * 70_000}) for one in made_posts(catalogue)]
    assert [post.number for post in discussion_page._that_fit(posts)] == [1]


def made_posts(catalogue: Api) -> list[Post]:
    discussion = begin(catalogue)
    catalogue.post(f"{API}/{discussion}/posts", json={"text": "More."})
    return Discussion.read(catalogue.get(f"{API}/{discussion}").json()).posts


def test_what_each_may_do_is_offered_and_no_more(reader: Browser, catalogue: Api, bob: Api, app) -> None:
    url = f"{ALL}/{begin(bob)}"
    assert "Sign in" in reader.get(url).text
    assert not reader.get(url).all("form", action=f"{url}/posts")
    reader.sign_up("jun")
    page = reader.get(url)
    assert page.all("form", action=f"{url}/posts")
    assert not page.all("form", action=f"{url}/state")
    assert page.all("a", href=f"/packages/alice/small-sums/report?discussion={url.rsplit('/', maxsplit=1)[-1]}&post=1")
    assert reader.post(f"{url}/state", {"act": "close"}).status == 403
    assert reader.post(f"{url}/state", {"act": "burn"}).status == 422
    assert reader.post(f"{url}/follow", {"act": "begin"}).status == 200
    assert "Mail me no replies" in reader.get(url).text
    reader.post(f"{url}/follow", {"act": "end"})
    assert "Mail me replies" in reader.get(url).text
    assert reader.post(f"{url}/posts", {"text": "Hello"}, **{"sec-fetch-site": "cross-site"}).status == 403


def test_a_moderator_hides_from_its_page_and_reads_the_report(reader: Browser, catalogue: Api, bob: Api, app) -> None:
    discussion = begin(bob, "Buy", "Cheap pills")
    url = f"{ALL}/{discussion}"
    reader.sign_up("jun")
    sent = reader.post(
        "/packages/alice/small-sums/report",
        {"reason": "spam", "text": "Pills.", "discussion": discussion, "post": "1"},
    )
    assert "Thank you." in sent.text
    moderator = Browser(app)
    moderator.sign_up("moda")
    assert "a post in a discussion" in moderator.get("/moderation").text
    moderator.post(f"{url}/posts/1/hide", {"reason": "Spam."})
    assert reader.get(url).status == 410
    assert "Cheap pills" in moderator.get(url).text
    assert "hid a post" in reader.get("/moderation").text
    moderator.post(f"{url}/posts/1/hide", {"reason": "Mended.", "act": "end"})
    assert reader.get(url).status == 200
