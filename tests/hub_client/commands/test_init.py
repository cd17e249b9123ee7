import shlex


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


def test_the_commands_to_go_on_hold_a_folder_with_a_space(verihub, own_folders) -> None:
    said = verihub("init", "alice/x", "--folder", "my check")
    words = [shlex.split(line) for line in said.out.splitlines()[1:]]
    assert words == [["verihub", "check", "my check"], ["verihub", "publish", "my check", "--wait"]]
