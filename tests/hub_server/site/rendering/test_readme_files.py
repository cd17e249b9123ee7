"""Files that a README names by their place in the project, and images by what their bytes are."""

import pytest

from hub_server.site.rendering.readme_files import MOST_IMAGE_BYTES, MOST_IMAGES, find_file, image_paths, image_type
from schemas.package import ReleaseFile
from tests.making.images import gif, jpeg, png, webp

PNG = png()
PATHS = ("a_sums/chart.png", "a_sums/img/one.png", "a_sums/other/one.png")


@pytest.mark.parametrize(
    ("named", "meant"),
    [
        ("src/a_sums/chart.png", "a_sums/chart.png"),
        ("./a_sums/chart.png", "a_sums/chart.png"),
        ("chart.png", "a_sums/chart.png"),
        ("img/one.png", "a_sums/img/one.png"),
        ("one.png", None),
        ("hart.png", None),
        ("../chart.png", None),
        ("https://example.org/a_sums/chart.png", None),
        ("", None),
    ],
)
def test_a_file_is_found_by_its_place_in_the_project(named: str, meant: str | None) -> None:
    assert find_file(named, PATHS) == meant


def test_only_images_of_a_bounded_size_and_number_are_shown() -> None:
    def file(path: str, size: int = 9) -> ReleaseFile:
        return ReleaseFile(path=path, size=size, sha256="0" * 64)

    assert image_paths([file("a.PNG"), file("a.svg"), file("a.html"), file("b.png", MOST_IMAGE_BYTES + 1)]) == (
        "a.PNG",
    )
    assert len(image_paths(file(f"{i}.gif") for i in range(999))) == MOST_IMAGES


@pytest.mark.parametrize(
    ("path", "content", "kind"),
    [
        ("a.png", PNG, "image/png"),
        ("a.jpeg", jpeg(), "image/jpeg"),
        ("a.gif", gif(), "image/gif"),
        ("a.webp", webp(), "image/webp"),
        ("a.webp", b"RIFF\x00\x00\x00\x00WAVE", None),
        ("a.png", b"<script>alert(1)</script>", None),
        ("a.gif", PNG, None),
        ("a.svg", b"<svg xmlns='http://www.w3.org/2000/svg'/>", None),
        ("a.html", PNG, None),
        ("a.png", b"", None),
        ("a.png", png(40_000, 40_000), None),
    ],
)
def test_bytes_must_be_what_the_name_says(path: str, content: bytes, kind: str | None) -> None:
    assert image_type(path, content) == kind
