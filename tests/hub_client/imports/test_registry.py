import pytest

from hub_client.errors import NotFoundError, UsageError
from hub_client.imports.registry import SOURCES, Request, open_importer


@pytest.mark.parametrize("name", sorted(SOURCES))
def test_every_source_opens_without_fetching_anything(name: str, cache) -> None:
    importer = open_importer(name, Request(cache, "nowhere.jsonl"))
    assert callable(importer.items)
    assert callable(importer.draft)
    assert SOURCES[name].form.startswith(f"{name}:")
    assert cache.wheels() == []


def test_an_unknown_source_names_the_nearest(cache) -> None:
    with pytest.raises(NotFoundError, match="reasoning-gym"):
        open_importer("reasoning_gim", Request(cache))


@pytest.mark.parametrize("name", sorted(SOURCES))
def test_what_a_source_would_pass_over_is_refused(name: str, cache, tmp_path) -> None:
    for option, request, taken in (
        ("--arg", Request(cache, "x", arguments={"count": 3}), SOURCES[name].arguments),
        ("--rows", Request(cache, "x", rows=tmp_path), SOURCES[name].rows),
    ):
        if taken:
            open_importer(name, request)
        else:
            with pytest.raises(UsageError, match=f"{name} takes no {option}"):
                open_importer(name, request)
