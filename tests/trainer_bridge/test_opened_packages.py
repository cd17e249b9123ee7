"""Names mean in a replay what they meant in the run."""

from types import SimpleNamespace

import pytest

from schemas.run import PinnedPackage
from trainer_bridge.opened_packages import OpenedPackages

DIGEST = "sha256:" + "0" * 64


class Packages(SimpleNamespace):
    """A hub that keeps what it was asked for."""

    def load(self, target):
        self.asked.append(target)
        manifest = SimpleNamespace(id="al/harness")
        return SimpleNamespace(contents=SimpleNamespace(manifest=manifest), version="1.2.0", digest=DIGEST)


def test_a_package_is_noted_under_the_name_that_was_asked_for_and_opened_again_in_that_version():
    hub = Packages(asked=[])
    first = OpenedPackages(hub)
    first.load("al/harness@>=1")
    assert first.found == {"al/harness@>=1": PinnedPackage(package="al/harness", version="1.2.0", digest=DIGEST)}
    OpenedPackages(hub, first.found).load("al/harness@>=1")
    OpenedPackages(hub, first.found).load("al/another")
    assert hub.asked == ["al/harness@>=1", "al/harness@1.2.0", "al/another"]


@pytest.mark.parametrize("written", ["{folder}", "./project"])
def test_a_project_folder_is_opened_as_it_is_now(tmp_path, monkeypatch, written):
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path)
    target = written.format(folder=tmp_path / "project")
    hub = Packages(asked=[])
    pins = {target: PinnedPackage(package="al/harness", version="1.0.0", digest=DIGEST)}
    OpenedPackages(hub, pins).load(target)
    assert hub.asked == [target]
