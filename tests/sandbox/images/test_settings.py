"""What an operator may say about images."""

import pytest
from pydantic import ValidationError

from sandbox.images.settings import ImageSettings


def test_the_environment_chooses_a_mirror_and_no_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIHUB_IMAGES_MIRROR", "http://debian.example")
    monkeypatch.setenv("VERIHUB_IMAGES_REGISTRY_IMAGE", "")
    settings = ImageSettings()
    assert (settings.mirror, settings.registry_image) == ("http://debian.example", "")


@pytest.mark.parametrize(("name", "value"), [("BUILD_TIMEOUT_SECONDS", "0"), ("DISK_BUDGET_MB", "-1")])
def test_a_limit_that_allows_nothing_is_refused(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(f"VERIHUB_IMAGES_{name}", value)
    with pytest.raises(ValidationError, match=name.lower()):
        ImageSettings()
