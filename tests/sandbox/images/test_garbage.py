from dataclasses import replace
from datetime import UTC, datetime, timedelta

from sandbox.images import layout
from sandbox.images.engine import ImageRecord
from sandbox.images.errors import ImageEngineError
from sandbox.images.garbage import choose_removable, collect_garbage
from sandbox.images.image_builder import ensure_image
from sandbox.images.settings import ImageSettings

NOW = datetime(2026, 6, 1, tzinfo=UTC)


def image(name, *, days=0, mb=1, kind="package", layers=()):
    labels = {layout.LABEL_KIND: kind, layout.LABEL_BYTES: str(mb * 2**20)}
    return ImageRecord(name, (name,), labels, tuple(layers), 0, NOW - timedelta(days=days))


def names(images):
    return {item.image_id for item in images}


def test_what_nobody_used_for_long_goes():
    settings = ImageSettings(max_age_days=30)
    assert names(choose_removable([image("new", days=29), image("old", days=31)], settings, NOW)) == {"old"}


def test_over_the_budget_the_least_recently_used_goes_first():
    settings = ImageSettings(disk_budget_mb=25)
    images = [image(f"d{day}", days=day, mb=10) for day in (3, 1, 2)]
    assert names(choose_removable(images, settings, NOW)) == {"d3"}


def test_a_dependency_image_stays_as_long_as_a_package_stands_on_it():
    settings = ImageSettings(max_age_days=30)
    needed = image("needed", days=99, kind="dependencies", layers=("b", "l1"))
    unneeded = image("unneeded", days=99, kind="dependencies", layers=("b", "l2"))
    user = image("user", layers=("b", "l1", "g", "p"))
    assert names(choose_removable([needed, unneeded, user], settings, NOW)) == {"unneeded"}


def test_an_image_never_used_by_us_counts_as_oldest():
    unknown = ImageRecord("u", ("u",), {layout.LABEL_KIND: "package"}, (), 5)
    assert names(choose_removable([unknown], ImageSettings(), NOW)) == {"u"}


def test_a_new_image_makes_room_for_itself_and_stays(engine, settings, make_source):
    tight = settings.model_copy(update={"disk_budget_mb": 0})
    old = ensure_image(make_source(), engine, settings)
    new = ensure_image(make_source(code="z = 3\n"), engine, tight)
    assert old.reference not in engine.images
    assert new.reference in engine.images


def test_tidying_that_fails_fails_no_build(engine, settings, make_source, monkeypatch):
    def broken(_reference):
        raise ImageEngineError("busy")

    tight = settings.model_copy(update={"disk_budget_mb": 0})
    ensure_image(make_source(), engine, settings)
    monkeypatch.setattr(engine, "remove", broken)
    assert ensure_image(make_source(code="z = 3\n"), engine, tight).reference in engine.images


def test_collection_spares_the_base_and_what_a_container_uses(engine, settings, make_source):
    built = ensure_image(make_source(), engine, settings)
    busy = ensure_image(make_source(code="z = 3\n"), engine, settings)
    assert built.reference in engine.images
    engine.in_use.add(busy.reference)
    done = collect_garbage(engine, settings, now=engine.clock + timedelta(days=365))
    assert done.references == (built.reference,)
    assert done.kept_in_use == 1
    assert any(name.startswith(layout.BASE_REPOSITORY) for name in engine.images)
    assert busy.reference in engine.images


def test_an_engine_that_tells_no_time_of_use_loses_no_image_before_its_time(settings, engine, make_source):
    """Podman's images have no such time, and our images' own date is 1970."""
    first = ensure_image(make_source(), engine, settings)
    second = ensure_image(make_source(code="other = 1\n"), engine, settings)
    for name, record in list(engine.images.items()):
        engine.images[name] = replace(record, used_at=None)
    collect_garbage(engine, settings)
    assert {first.reference, second.reference} <= set(engine.images)
    later = datetime.now(UTC) + timedelta(days=settings.max_age_days + 1)
    assert {first.reference, second.reference} <= set(collect_garbage(engine, settings, later).references)
