import pytest

from hub_client.imports.draft import ImportRefusedError
from hub_client.imports.harbor_folder import TaskFile
from hub_client.imports.harbor_image import read_image, unmet
from hub_client.imports.shell_needs import ScriptNeeds

CONTEXT = {
    path: TaskFile(path.encode(), runs=False)
    for path in ("Dockerfile", "a.txt", "data/b.csv", "data/deep/c.csv", "run.sh")
}


def _paths(*lines: str) -> list[str]:
    return sorted(read_image("\n".join(["FROM python:3.12-slim", *lines]), CONTEXT).files)


@pytest.mark.parametrize(
    ("lines", "paths"),
    [
        (("COPY a.txt /app/a.txt",), ["/app/a.txt"]),
        (("WORKDIR /app", "COPY a.txt ."), ["/app/a.txt"]),
        (("COPY a.txt /app/",), ["/app/a.txt"]),
        (("COPY a.txt run.sh /app/x/",), ["/app/x/a.txt", "/app/x/run.sh"]),
        (("COPY data /srv/data",), ["/srv/data/b.csv", "/srv/data/deep/c.csv"]),
        (("COPY data/ /srv/",), ["/srv/b.csv", "/srv/deep/c.csv"]),
        (("WORKDIR /w", "COPY . ."), ["/w/a.txt", "/w/data/b.csv", "/w/data/deep/c.csv", "/w/run.sh"]),
        (("COPY --chown=1:1 ./a.txt /x.txt",), ["/x.txt"]),
        (('COPY ["a.txt", "/y.txt"]',), ["/y.txt"]),
        (("ENV HOME_OF=/h", "COPY a.txt ${HOME_OF}/a.txt"), ["/h/a.txt"]),
        (("COPY *.txt /t/",), ["/t/a.txt"]),
    ],
)
def test_files_come_where_docker_would_put_them(lines, paths) -> None:
    assert _paths(*lines) == paths


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (("COPY ../../etc/passwd /p",), "not in the folder"),
        (("COPY /etc/passwd /p",), "not in the folder"),
        (("COPY --from=other /x /y",), "another image"),
        (("ADD https://x.invalid/y /z",), "fetches"),
        (("ADD data.tar.gz /z",), "unpacks"),
        (("COPY a.txt",), "cannot be read"),
        (('COPY ["' + "[" * 9,), "cannot be read"),
        (("CMD nginx -g 'daemon off;'",), "a program of its own: CMD nginx"),
        (('ENTRYPOINT ["/start.sh"]',), "a program of its own"),
        (("HEALTHCHECK CMD true",), "has HEALTHCHECK"),
        (("FROM python:3.12",), "several stages"),
        (("ENV A='",), "ENV that cannot be read"),
    ],
)
def test_what_a_box_cannot_follow_is_named(lines, why) -> None:
    with pytest.raises(ImportRefusedError, match=why):
        _paths(*lines)


@pytest.mark.parametrize("image", ["node:20", "postgres", "evil.invalid/python-like:1", "rust:1 AS x"])
def test_other_images_are_refused_by_name(image) -> None:
    with pytest.raises(ImportRefusedError, match="its image is"):
        read_image(f"FROM {image}", {})


def test_variables_folder_and_commands() -> None:
    image = read_image(
        "FROM ubuntu\nENV A=1 B='x y'\nENV OLD the rest\nWORKDIR /a\nWORKDIR b\nRUN mkdir -p /data\nCMD bash", {}
    )
    assert (image.env, image.workdir) == ({"A": "1", "B": "x y", "OLD": "the rest"}, "/a/b")
    assert image.commands == ["mkdir -p /data"]


def test_what_is_installed_and_named_nowhere_is_left_out() -> None:
    needs = [ScriptNeeds({"pandas": "pip", "pyyaml": "pip", "jq": "apt-get"}, ("runs git",))]
    reasons, left_out = unmet(needs, "its image", ["import yaml", "use jq."])
    assert reasons == ["its image runs git", "its image installs pyyaml (pip)", "its image installs jq (apt-get)"]
    assert left_out == ["pandas"]


def test_variables_that_grow_without_end_are_refused_before_they_fill_the_memory() -> None:
    lines = ["ENV A0=0123456789", *(f"ENV A{number}={f'$A{number - 1}' * 10}" for number in range(1, 14))]
    with pytest.raises(ImportRefusedError, match="a variable of over"):
        _paths(*lines)
    with pytest.raises(ImportRefusedError, match="a variable of over"):
        _paths("ENV A=" + "x" * 3000, "WORKDIR /" + "$A" * 300_000)


def test_copies_of_copies_are_refused_before_they_fill_the_memory() -> None:
    with pytest.raises(ImportRefusedError, match="over 1 MB, or over 400 files"):
        _paths(*(f"COPY . /copy{number}/" for number in range(50_000)))
    large = {"big": TaskFile(b"x" * 600_000, runs=False)}
    with pytest.raises(ImportRefusedError, match="over 1 MB"):
        read_image("FROM python:3.12\nCOPY big /a\nCOPY big /b", large)
