import hashlib
import io
import subprocess
import tarfile

import pytest

from sandbox.images import base, layout
from sandbox.images.base import ensure_base, find_base
from sandbox.images.engine import ImageRecord
from sandbox.images.errors import BaseImageError, ImageEngineError
from sandbox.images.layers import tar_of
from tests.making.altered_library import alter_library
from tests.sandbox.images.test_base_filter import entry


def test_a_base_that_is_there_is_taken_as_it_is(engine, settings):
    assert ensure_base(engine, settings).image_id == "sha256:base"
    assert engine.load_count == 0


def test_with_neither_registry_nor_mmdebstrap_it_says_what_to_do(settings, monkeypatch, engine_class):
    alter_library(monkeypatch, base, "shutil", which=lambda _: None)
    configured = settings.model_copy(update={"registry_image": "python:3.11-slim"})
    with pytest.raises(BaseImageError, match=r"no registry here.*apt-get install mmdebstrap"):
        ensure_base(engine_class(), configured)


def test_a_pulled_image_is_flattened_filtered_and_its_library_compiled(settings, engine_class):
    class Registry(engine_class):
        def pull(self, reference, timeout_seconds):
            self.pulled = reference

        def export(self, reference):
            buffer = io.BytesIO()
            with tarfile.open(fileobj=buffer, mode="w") as tar:
                for item, data in (entry("usr/bin/python3", mode=0o4755, data=b"elf"), entry("usr/bin/su", data=b"x")):
                    tar.addfile(item, io.BytesIO(data))
            yield from (buffer.getvalue()[start : start + 700] for start in range(0, len(buffer.getvalue()), 700))

        def run_once(self, reference, command, work, timeout_seconds):
            if command[-2:] != ["", ""]:
                return b"/usr/local/lib/python3.11\n"
            out = io.BytesIO()
            with tarfile.open(fileobj=out, mode="w") as tar:
                item, data = entry("__pycache__/os.cpython-311.pyc", data=b"code")
                tar.addfile(item, io.BytesIO(data))
            return out.getvalue()

    engine = Registry()
    record = ensure_base(engine, settings.model_copy(update={"registry_image": "python:3.11-slim"}))
    files = {name for layer in record.layers for name in engine.contents[layer]}
    assert files == {"usr/bin/python3", "usr/local/lib/python3.11/__pycache__/os.cpython-311.pyc"}
    assert record.labels["verihub.image.source"] == "python:3.11-slim"
    assert not any(name.endswith("-bare") for name in engine.images)


class Builder:
    """mmdebstrap as a function that writes a small root file system, or fails."""

    def __init__(self, failure=None):
        self.failure = failure
        self.commands = []

    def __call__(self, command, **_):
        self.commands.append(command)
        if self.failure:
            raise self.failure
        tar = next(part for part in command if part.endswith("base.tar"))
        with tarfile.open(tar, "w") as out:
            for item, data in (entry("./usr/bin/python3", data=b"elf"), entry("./usr/sbin/useradd", data=b"x")):
                out.addfile(item, io.BytesIO(data))


@pytest.fixture
def debian(monkeypatch):
    def install(builder):
        alter_library(monkeypatch, base, "shutil", which=lambda _: "/usr/bin/mmdebstrap")
        alter_library(monkeypatch, base, "subprocess", run=builder)
        return builder

    return install


def test_without_a_registry_the_base_is_built_from_packages(settings, engine_class, debian):
    builder = debian(Builder())

    class Engine(engine_class):
        def run_once(self, reference, command, work, timeout_seconds):
            empty = io.BytesIO()
            tarfile.open(fileobj=empty, mode="w").close()
            return b"/usr/lib/python3.11\n" if command[-2:] != ["", ""] else empty.getvalue()

    engine, said = Engine(), []
    record = ensure_base(engine, settings.model_copy(update={"mirror": "http://mirror.example/debian"}), said.append)
    (command,) = builder.commands
    assert command[0] == "mmdebstrap"
    assert "--include=python3,libpython3-stdlib,libstdc++6,tzdata" in command
    assert command[-1] == "http://mirror.example/debian"
    assert {name for layer in record.layers for name in engine.contents[layer]} == {"usr/bin/python3"}
    assert record.labels["verihub.image.source"] == "debian:bookworm"
    assert any("Debian's packages" in line for line in said)


@pytest.mark.parametrize(
    ("failure", "says"),
    [
        (subprocess.CalledProcessError(1, "mmdebstrap", stderr=b"E: one\nE: no route to mirror"), "no route to mirror"),
        (subprocess.TimeoutExpired("mmdebstrap", 600), "took longer than 600 s"),
    ],
)
def test_a_build_that_fails_says_why(settings, engine_class, debian, failure, says):
    debian(Builder(failure))
    with pytest.raises(BaseImageError, match=says):
        ensure_base(engine_class(), settings)


def test_a_python_that_does_not_start_leaves_no_unfinished_base(settings, engine_class, debian):
    debian(Builder())

    class Broken(engine_class):
        def run_once(self, reference, command, work, timeout_seconds):
            raise ImageEngineError("python3 ended with status 127: libpython3.11.so.1.0 is missing")

    engine = Broken()
    with pytest.raises(ImageEngineError, match=r"libpython3\.11\.so"):
        ensure_base(engine, settings)
    assert engine.images == {}


def test_a_base_that_another_process_removes_at_once_is_reported(settings, engine_class, debian):
    debian(Builder())

    class Forgetful(engine_class):
        def run_once(self, reference, command, work, timeout_seconds):
            return b"/usr/lib/python3.11" if command[-2:] != ["", ""] else tar_of({})

        def load(self, archive):
            super().load(archive)
            self.images = {name: image for name, image in self.images.items() if name.endswith("-bare")}

    with pytest.raises(BaseImageError, match="is another process removing images"):
        ensure_base(Forgetful(), settings)


def test_a_python_that_debian_lacks_needs_a_registry_and_says_which_do_not(settings, engine_class):
    with pytest.raises(BaseImageError, match=r"Python 3.12 needs a registry.*allow 3.11 or 3.13"):
        ensure_base(engine_class(), settings, python="3.12")


def test_each_python_has_a_debian_and_an_image_of_its_own(settings, engine_class, debian):
    builder = debian(Builder())

    class Engine(engine_class):
        def run_once(self, reference, command, work, timeout_seconds):
            empty = io.BytesIO()
            tarfile.open(fileobj=empty, mode="w").close()
            return b"/usr/lib/python3.13\n" if command[-2:] != ["", ""] else empty.getvalue()

    engine = Engine()
    record = ensure_base(engine, settings, python="3.13")
    assert record.references == ("verihub/base:2-python3.13-amd64",)
    assert "trixie" in builder.commands[0]
    engine.add_base()
    assert ensure_base(engine, settings).references == ("verihub/base:2-amd64",)


def test_an_image_with_another_python_than_was_asked_for_is_refused(settings, engine_class, debian):
    debian(Builder())

    class Engine(engine_class):
        def run_once(self, reference, command, work, timeout_seconds):
            return b"/usr/lib/python3.11\n"

    engine = Engine()
    with pytest.raises(BaseImageError, match=r"Python 3.13 is wanted.*VERIHUB_IMAGES_REGISTRY_IMAGE"):
        ensure_base(engine, settings, python="3.13")
    assert not engine.images


LAYERS = ("sha256:" + "1" * 64, "sha256:" + "2" * 64)
OF_LAYERS = "sha256:" + hashlib.sha256("\n".join(LAYERS).encode()).hexdigest()
OF_ROOT = "sha256:" + hashlib.sha256(LAYERS[0].encode()).hexdigest()
NAME = f"{layout.BASE_REPOSITORY}:{layout.IMAGE_FORMAT}-amd64"
NOT_OURS = {
    "without labels": ({}, LAYERS),
    "built upon a base of ours, whose labels it has": ({"verihub.image.digest": OF_LAYERS}, (*LAYERS, "sha256:3")),
    "a package": ({"verihub.image": "package", "verihub.image.digest": OF_LAYERS}, LAYERS),
    "left unfinished by an older version": ({"verihub.image.digest": OF_ROOT}, LAYERS[:1]),
}


@pytest.mark.parametrize(("labels", "layers"), NOT_OURS.values(), ids=NOT_OURS)
def test_an_image_of_that_name_that_is_no_finished_base_is_replaced(settings, engine_class, debian, labels, layers):
    debian(Builder())

    class Engine(engine_class):
        def run_once(self, reference, command, work, timeout_seconds):
            return b"/usr/lib/python3.11" if command[-2:] != ["", ""] else tar_of({})

    engine = Engine()
    labels = {"verihub.image": "base", **labels} if labels else {}
    engine.images[NAME] = ImageRecord("sha256:evil", (NAME,), labels, layers, 80)
    assert find_base(engine) is None
    made = ensure_base(engine, settings)
    assert (made.references, made.image_id != "sha256:evil") == ((NAME,), True)
    assert find_base(engine) == made


def test_of_two_users_who_make_the_base_at_once_the_slower_one_takes_the_others(settings, engine_class, debian):
    """They share an engine and no lock: the faster one removes the unfinished image that both have by one name."""
    debian(Builder())

    class Shared(engine_class):
        def run_once(self, reference, command, work, timeout_seconds):
            labels = {"verihub.image": "base", "verihub.image.digest": OF_LAYERS}
            self.images = {NAME: ImageRecord("sha256:theirs", (NAME,), labels, LAYERS, 80)}
            raise ImageEngineError(f"No such image: {reference}")

    assert ensure_base(Shared(), settings).image_id == "sha256:theirs"


def test_an_image_whose_export_breaks_off_is_no_registry_and_does_not_stay(settings, engine_class, monkeypatch):
    alter_library(monkeypatch, base, "shutil", which=lambda _: None)

    class Registry(engine_class):
        def pull(self, reference, timeout_seconds):
            self.images[reference] = ImageRecord("sha256:pulled", (reference,))

        def export(self, reference):
            yield tar_of({"usr/bin/python3": b"elf" * 1000})[:2000]

    engine = Registry()
    with pytest.raises(BaseImageError, match=r"not a complete file system.*apt-get install mmdebstrap"):
        ensure_base(engine, settings.model_copy(update={"registry_image": "python:3.11-slim"}))
    assert engine.images == {}


def test_why_a_base_failed_is_said_also_where_what_is_left_of_it_cannot_be_removed(settings, engine_class, debian):
    debian(Builder())

    class Going(engine_class):
        def run_once(self, reference, command, work, timeout_seconds):
            return b"/usr/lib/python3.9"

        def remove(self, reference):
            raise ImageEngineError("the engine is gone")

    with pytest.raises(BaseImageError, match=r"Python 3\.11 is wanted"):
        ensure_base(Going(), settings)
