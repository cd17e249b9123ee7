"""Images of a README: the release's own from the hub, others' not at all."""

from tests.hub_server.site.conftest import Browser
from tests.making.hub import Api, make_package
from tests.making.images import png
from tests.making.wheel import METADATA

PNG = png()
RELEASE = "/packages/alice/pictured/releases/1.0.0"
README = """\
![A chart](src/alice_pictured/img/a%20chart.png)

![Pixel](https://tracker.example/pixel.gif)

[![Badge](https://ci.example/badge.svg)](https://ci.example/)

![Drawn](src/alice_pictured/drawn.svg)
"""


def test_an_image_of_the_wheel_is_shown_from_the_hub_and_no_other(reader: Browser, alice: Api) -> None:
    files = {
        "img/a chart.png": PNG,
        "fake.png": "<script>alert(1)</script>",
        "bomb.png": png(50_000, 50_000),
        "drawn.svg": "<svg/>",
    }
    metadata = METADATA.replace("# Small sums\n", README)
    wheel = make_package("alice/pictured", package_files=files, metadata=metadata)
    assert alice.publish(wheel).status_code == 201
    page = reader.get("/packages/alice/pictured")
    (image,) = page.all("img")
    assert image["alt"] == "A chart"
    assert image["src"] == f"{RELEASE}/images/alice_pictured/img/a%20chart.png"
    assert "[image: Pixel]" in page.text
    assert "https://tracker.example/pixel.gif" in page.links, "whoever wants to see it may go there"
    assert "https://ci.example/badge.svg" not in page.html, "it stands in a link already"
    assert f"{RELEASE}/code/src/alice_pictured/drawn.svg" in page.html
    answer = alice.get(image["src"])
    assert (answer.status_code, answer.content, answer.headers["content-type"]) == (200, PNG, "image/png")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in answer.headers["content-security-policy"]
    tag = answer.headers["etag"]
    for known in (tag, f"W/{tag}", f'"old", {tag}'):
        assert alice.get(image["src"], headers={"if-none-match": known}).status_code == 304
    for path in ("fake.png", "bomb.png", "drawn.svg", "verihub.toml", "none.png", "..%2f..%2fx.png"):
        assert reader.get(f"{RELEASE}/images/alice_pictured/{path}").status == 404


def test_a_private_packages_image_is_the_owners_alone(reader: Browser, alice: Api) -> None:
    wheel = make_package("alice/pictured", package_files={"a.png": PNG})
    assert alice.post("/api/v1/packages?visibility=private", content=wheel).status_code == 201
    assert alice.get(f"{RELEASE}/images/alice_pictured/a.png").status_code == 200
    assert reader.get(f"{RELEASE}/images/alice_pictured/a.png").status == 404
