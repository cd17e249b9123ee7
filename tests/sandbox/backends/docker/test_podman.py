"""What podman is told otherwise than Docker."""

from pathlib import Path

from sandbox.backends.docker.engine import seccomp_profile
from sandbox.backends.docker.podman import adapt, is_podman, plain_name

HOST = {
    "SecurityOpt": ["no-new-privileges", "seccomp={}"],
    "Tmpfs": {"/tmp": "rw,noexec,size=16m,nr_inodes=1024,mode=1777,uid=1,gid=1"},
    "Memory": 5,
}


def test_podman_is_known_by_its_own_answer() -> None:
    assert is_podman({"Components": [{"Name": "Podman Engine", "Version": "4.3.1"}, {"Name": "Conmon"}]})
    assert not is_podman({"Components": [{"Name": "Engine"}]})
    assert not is_podman({})


def test_podman_gets_the_profile_as_a_file_and_no_option_that_it_refuses() -> None:
    host = adapt({"Image": "i", "HostConfig": HOST})["HostConfig"]
    plain, profile = host["SecurityOpt"]
    assert plain == "no-new-privileges"
    assert Path(profile.removeprefix("seccomp=")).read_text() == seccomp_profile()
    assert host["Tmpfs"] == {"/tmp": "rw,noexec,size=16m,mode=1777"}
    assert host["Memory"] == 5


def test_podman_sets_no_limit_that_it_may_lack_the_right_to_and_keeps_those_that_are_named() -> None:
    own = {"Name": "nproc", "Soft": 48, "Hard": 48}
    limits = adapt({"HostConfig": {**HOST, "Ulimits": [own]}})["HostConfig"]["Ulimits"]
    assert own in limits
    assert {limit["Name"] for limit in limits} == {"nproc", "nofile"}


def test_an_image_has_the_name_that_we_gave_it() -> None:
    assert plain_name("localhost/verihub/base:1-amd64") == plain_name("docker.io/verihub/base:1-amd64")
    assert plain_name("verihub/base:1-amd64") == "verihub/base:1-amd64"
