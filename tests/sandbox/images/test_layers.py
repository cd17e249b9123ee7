import os
import tarfile
import time

import pytest

from sandbox.images.layers import LayerStore, digest_of_file


def test_the_same_files_make_the_same_layer_in_any_order(tmp_path):
    store = LayerStore(tmp_path)
    one = store.write_files("/root", {"b/x.py": b"1", "a.py": b"2"})
    two = store.write_files("/root", {"a.py": b"2", "b/x.py": b"1"})
    assert one == two
    assert one.diff_id == digest_of_file(one.path)


def test_a_layer_belongs_to_root_and_nobody_may_write(tmp_path):
    layer = LayerStore(tmp_path).write_files("/verihub/x", {"b/x.py": b"1"})
    with tarfile.open(layer.path) as tar:
        entries = {item.name: item for item in tar}
    assert set(entries) == {"verihub", "verihub/x", "verihub/x/b", "verihub/x/b/x.py"}
    assert all(item.uid == item.gid == item.mtime == 0 for item in entries.values())
    assert {oct(item.mode) for item in entries.values()} == {"0o755", "0o644"}


def test_a_remembered_layer_is_made_again_only_when_its_file_is_gone(tmp_path):
    store, made = LayerStore(tmp_path), []

    def make():
        made.append(1)
        return store.write_files("", {"a": b"1"})

    layer = store.remembered("sha256:key", make)
    assert store.remembered("sha256:key", make) == layer
    assert len(made) == 1
    layer.path.unlink()
    store.remembered("sha256:key", make)
    assert len(made) == 2


def test_a_failed_write_leaves_nothing(tmp_path):
    store = LayerStore(tmp_path)

    def fail(_tar):
        raise RuntimeError

    with pytest.raises(RuntimeError):
        store.write(fail)
    assert list(tmp_path.iterdir()) == []


def test_old_layers_that_nobody_wants_go_and_young_ones_stay(tmp_path):
    store = LayerStore(tmp_path)
    wanted, old, young = (store.write_files("", {"a": data}) for data in (b"1", b"2", b"3"))
    past = time.time() - 7200
    os.utime(wanted.path, (past, past))
    os.utime(old.path, (past, past))
    assert store.keep_only({wanted.diff_id}) == old.size_bytes
    assert [layer.path.exists() for layer in (wanted, old, young)] == [True, False, True]
