import threading
from dataclasses import replace

import pytest

from sandbox.images import image_builder, layout
from sandbox.images.errors import ImageEngineError, WheelRefusedError
from sandbox.images.image_builder import ensure_guest_image, ensure_image
from tests.sandbox.images.conftest import BASE_LAYERS


def top_files(engine, reference):
    image = engine.find(reference)
    return {name: data for layer in image.layers for name, data in engine.contents.get(layer, {}).items()}


def test_an_image_holds_guest_and_package_above_the_base(engine, settings, make_source):
    built = ensure_image(make_source(), engine, settings)
    files = top_files(engine, built.reference)
    assert files["verihub/package/al_tiny/__init__.py"].startswith(b"def verify")
    assert "verihub/guest/sandbox/guest/zygote.py" in files
    assert "verihub/guest/sandbox/guest/__pycache__/zygote.cpython-311.pyc" in files
    assert engine.find(built.reference).layers[:2] == BASE_LAYERS


def test_the_same_release_is_loaded_once_and_marked_as_used(engine, settings, make_source):
    first = ensure_image(make_source(), engine, settings)
    loads, used = engine.load_count, engine.find(first.reference).used_at
    second = ensure_image(make_source(), engine, settings)
    assert second == first
    assert engine.load_count == loads
    assert engine.find(first.reference).used_at > used


def test_two_machines_make_the_same_image_id(settings, make_source, tmp_path, engine_class):
    ids = set()
    for name in ("here", "there"):
        engine = engine_class()
        engine.add_base()
        ids.add(ensure_image(make_source(), engine, settings.model_copy(update={"cache_folder": tmp_path / name})))
    assert len(ids) == 1


def test_the_digest_changes_with_the_package_and_with_the_lock(engine, settings, make_source, make_dependency):
    digests = {
        ensure_image(make_source(), engine, settings).digest,
        ensure_image(make_source(code="x = 1\n"), engine, settings).digest,
        ensure_image(make_source(lock=(make_dependency(),)), engine, settings).digest,
        ensure_guest_image(engine, settings).digest,
    }
    assert len(digests) == 4


def test_one_dependency_layer_is_shared_by_all_packages_with_that_lock(engine, settings, make_source, make_dependency):
    lock = (make_dependency(),)
    one = ensure_image(make_source(lock=lock), engine, settings)
    runs = engine.run_count
    two = ensure_image(make_source(code="y = 2\n", lock=lock), engine, settings)
    assert engine.find(one.reference).layers[:3] == engine.find(two.reference).layers[:3]
    assert engine.run_count == runs
    assert top_files(engine, two.reference)["verihub/dependencies/dep/__init__.py"] == b"VALUE = 1\n"
    assert "verihub/dependencies/dep/__pycache__/__init__.cpython-311.pyc" in top_files(engine, two.reference)


def test_a_lost_image_is_rebuilt_from_the_cache_without_running_anything(
    engine, settings, make_source, make_dependency
):
    source = make_source(lock=(make_dependency(),))
    before = ensure_image(source, engine, settings)
    for reference in [name for name in engine.images if not name.startswith(layout.BASE_REPOSITORY)]:
        engine.remove(reference)
    engine.layers = set(BASE_LAYERS)
    runs = engine.run_count
    assert ensure_image(source, engine, settings) == before
    assert engine.run_count == runs


def test_an_engine_that_wants_every_layer_gets_it(engine, settings, make_source):
    """The base's layer files are in the cache when this machine built the base."""
    engine.wants_all_layers = True
    with pytest.raises(ImageEngineError, match="is missing"):
        ensure_image(make_source(), engine, settings)
    store = image_builder.LayerStore(settings.cache_folder / "layers")
    engine.add_base(tuple(store.write_files("", {"etc/os-release": data}).diff_id for data in (b"box", b"library")))
    assert ensure_image(make_source(), engine, settings).reference in engine.images


def test_layers_that_left_the_cache_are_taken_from_the_engines_images(engine, settings, make_source, make_dependency):
    """A base that was loaded into podman by hand, or a cache that was emptied: the engine has the bytes."""
    engine.wants_all_layers = True
    store = image_builder.LayerStore(settings.cache_folder / "layers")
    base, library = (store.write_files("", {"etc/os-release": data}) for data in (b"box", b"library"))
    engine.saved = {"odd/layer.tar": base.path.read_bytes(), "other.tar": b"another layer"}
    base.path.unlink()
    engine.add_base((base.diff_id, library.diff_id))
    made = ensure_image(make_source(lock=(make_dependency(),)), engine, settings)
    assert engine.images[made.reference].layers[0] == base.diff_id
    assert store.get(base.diff_id) == base
    assert not [path for path in base.path.parent.iterdir() if path.suffix == ".part"]


def test_a_layer_with_other_bytes_is_not_taken_and_the_engines_words_stay(engine, settings, make_source):
    engine.wants_all_layers = True
    engine.saved = {f"{'b' * 64}.tar": b"not the layer of that name"}
    with pytest.raises(ImageEngineError, match="is missing"):
        ensure_image(make_source(), engine, settings)


def test_an_engine_that_gives_no_image_away_keeps_its_own_words(engine, settings, make_source, monkeypatch):
    def save(reference):
        raise ImageEngineError("no room to save an image")

    engine.wants_all_layers = True
    monkeypatch.setattr(engine, "save", save)
    with pytest.raises(ImageEngineError, match="is missing"):
        ensure_image(make_source(), engine, settings)


def test_processes_that_want_the_same_image_build_it_once(engine, settings, make_source):
    source = make_source()
    threads = [threading.Thread(target=ensure_image, args=(source, engine, settings)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert engine.load_count == 1


def test_a_wheel_that_is_not_the_release_is_refused(engine, settings, make_source):
    source = replace(make_source(), digest="sha256:" + "0" * 64)
    with pytest.raises(WheelRefusedError, match="download the release again"):
        ensure_image(source, engine, settings)


def test_without_byte_code_the_image_is_made_all_the_same(engine, settings, make_source):
    def broken(*_):
        raise ImageEngineError("no container today")

    engine.run_once = broken
    said = []
    built = ensure_image(make_source(), engine, settings, said.append)
    assert "verihub/guest/sandbox/guest/zygote.py" in top_files(engine, built.reference)
    assert any("no container today" in line for line in said)


def test_a_dependency_that_does_not_compile_stays_source(engine, settings, make_source, make_dependency):
    lock = (make_dependency(files={"dep/good.py": "a = 1", "dep/old.py": "print 'python 2'"}),)
    files = top_files(engine, ensure_image(make_source(lock=lock), engine, settings).reference)
    assert "verihub/dependencies/dep/__pycache__/good.cpython-311.pyc" in files
    assert "verihub/dependencies/dep/old.py" in files
    assert not any("/old.cpython" in name for name in files)


@pytest.mark.parametrize("has_labels", [False, True], ids=["of something else", "upon another base"])
def test_an_image_under_a_releases_name_that_is_not_its_own_is_replaced(engine, settings, make_source, has_labels):
    """Whoever holds the engine may name an image as they like, and an image built upon ours has our labels."""
    built = ensure_image(make_source(), engine, settings)
    ours = engine.find(built.reference)
    labels = ours.labels if has_labels else {}
    engine.images[built.reference] = replace(ours, image_id="sha256:evil", labels=labels, layers=("sha256:evil",))
    assert ensure_image(make_source(), engine, settings) == built
