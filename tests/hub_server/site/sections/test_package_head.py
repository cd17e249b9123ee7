"""The head that all pages of a package share."""

from hub_server.site.rendering.templates import environment
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


def test_an_unrated_release_has_no_side_that_gives_its_grade() -> None:
    """Beside a dash for the grade stood "gives the grade", and "the grade is hollow and at most C"."""
    few = samples.release("3.0.0", (0, 1, 0, 4), 1)
    hollow = few.model_copy(update={"audit": few.audit.model_copy(update={"is_hollow": True})})
    shown = catalog.PackageHead(samples.detail(), hollow, "Readme", 3).context()
    names = {"me": None, "mirror_of": "", "package": "", "now": samples.NOW}
    said = " ".join(environment().get_template("sections/_head.html").render({**shown, **names}).split())
    assert "has the larger upper bound. These are too few independent cases for a grade." in said
    assert "gives the grade" not in said
    assert "hollow" not in said
