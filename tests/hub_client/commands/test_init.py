import pytest

from schemas.kinds import PackageKind


@pytest.mark.parametrize("kind", list(PackageKind))
def test_every_starter_passes_its_own_check_and_its_cases(verihub, own_folders, kind) -> None:
    assert verihub("init", "alice/my-thing", "--kind", kind).code == 0
    said = verihub("check", "my-thing", "--strict", "--format", "json")
    assert said.code == 0, said.err
    assert said.json["faults"] == []
    assert said.json["id"] == "alice/my-thing"
    if kind in (PackageKind.VERIFIER, PackageKind.ENVIRONMENT):
        assert said.json["audit"]["case_count"] == 20
        assert said.json["audit"]["failures"] == []


def test_no_placeholder_is_left_in_a_starter(verihub, own_folders) -> None:
    for kind in PackageKind:
        verihub("init", "alice/my-thing", "--kind", kind, "--folder", own_folders / kind)
        for path in (own_folders / kind).rglob("*"):
            assert "@" not in path.name
            if path.is_file():
                assert not any(word in path.read_text() for word in ("@ID@", "@NAME@", "@DISTRIBUTION@", "@IMPORT@"))
                assert path.suffix != ".template"


def test_a_folder_with_something_in_it_is_left_alone(verihub, own_folders) -> None:
    folder = own_folders / "mine"
    folder.mkdir()
    (folder / "precious.txt").write_text("x")
    said = verihub("init", "alice/mine")
    assert said.code == 5
    assert "--folder" in said.err
    assert [path.name for path in folder.iterdir()] == ["precious.txt"]


def test_an_empty_folder_is_used(verihub, own_folders) -> None:
    (own_folders / "x").mkdir()
    assert verihub("init", "alice/x", "--format", "quiet").out == "x\n"
    assert (own_folders / "x" / "src" / "alice_x" / "verihub.toml").is_file()
