"""The head that all pages of a package share."""

from hub_server.site.sections import package_head as catalog
from tests.hub_server.site import samples


def head(version: int = 0) -> catalog.PackageHead:
    return catalog.PackageHead(samples.detail(), samples.RELEASES[version], "Readme", 3)


def test_the_head_shows_the_releases_own_figures() -> None:
    assert head(0).summary == samples.RELEASES[0].audit
    assert head(3).summary.version == "1.6.3"
    assert head(4).summary is None  # an old release that nobody measured does not borrow the latest one's rates
    assert head(4).audit_state == "none"


def test_a_quarantined_release_can_be_read_but_not_tried() -> None:
    release = samples.release("3.0.0", None, 1, state="quarantined", state_reason="It calls home.")
    names = [name for name, _, _ in catalog.PackageHead(samples.detail(), release, "Readme", 3).tabs()]
    assert "Try it" not in names
    assert "Code" in names
