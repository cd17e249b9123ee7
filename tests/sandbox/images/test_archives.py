"""Image archives: an image's id follows from its content, whoever builds it and when."""

import hashlib
import json
import os
import tarfile

import pytest

from sandbox.images.archives import write_archive
from sandbox.images.layers import LayerStore


def write(folder, layers, name="image.tar", **changes):
    options = {"labels": {"verihub.image": "package"}, "architecture": "amd64", "tag": "verihub/package:1"} | changes
    write_archive(folder / name, layers=layers, **options)
    return folder / name


def read(path):
    with tarfile.open(path) as tar:
        return {entry.name: tar.extractfile(entry).read() for entry in tar}


@pytest.fixture
def layers(tmp_path):
    store = LayerStore(tmp_path / "layers")
    return [store.write_files("", {"a.txt": b"1"}), store.write_files("/x", {"b.txt": b"2"})]


def test_the_manifest_names_configuration_tag_and_layers_in_order(tmp_path, layers):
    found = read(write(tmp_path, layers))
    (manifest,) = json.loads(found["manifest.json"])
    assert manifest["RepoTags"] == ["verihub/package:1"]
    config = json.loads(found[manifest["Config"]])
    assert config["rootfs"]["diff_ids"] == [layer.diff_id for layer in layers]
    assert [f"sha256:{hashlib.sha256(found[name]).hexdigest()}" for name in manifest["Layers"]] == config["rootfs"][
        "diff_ids"
    ]
    assert len(config["history"]) == len(layers)


def test_the_configuration_holds_no_time_and_no_machine(tmp_path, layers):
    before = read(write(tmp_path, layers))["config.json"]
    for layer in layers:
        os.utime(layer.path, (1, 1))
    assert read(write(tmp_path, layers, "again.tar"))["config.json"] == before
    assert set(json.loads(before)["config"]) == {"Env", "Labels", "WorkingDir", "Cmd"}


@pytest.mark.parametrize("changes", [{"labels": {"verihub.image": "base"}}, {"architecture": "arm64"}])
def test_what_the_image_is_changes_its_id(tmp_path, layers, changes):
    assert (
        read(write(tmp_path, layers))["config.json"]
        != read(write(tmp_path, layers, "other.tar", **changes))["config.json"]
    )


def test_its_name_and_what_is_left_out_do_not(tmp_path, layers):
    whole = read(write(tmp_path, layers))
    part = read(write(tmp_path, layers, "part.tar", tag="verihub/package:2", leave_out={layers[0].diff_id}))
    assert part["config.json"] == whole["config.json"]
    assert set(whole) - set(part) == {f"{layers[0].diff_id.removeprefix('sha256:')}.tar"}


def test_the_archive_is_the_same_byte_for_byte(tmp_path, layers):
    one = write(tmp_path, layers).read_bytes()
    for layer in layers:
        layer.path.chmod(0o600)
        os.utime(layer.path, (5, 5))
    assert write(tmp_path, layers, "again.tar").read_bytes() == one
