import pytest

from hub_client.errors import NotFoundError
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
