import pytest

from hub_client.client import Hub
from hub_client.releases.cache import Cache
from hub_client.settings import ClientSettings
from tests.making.library import Index


@pytest.fixture
def cache(tmp_path) -> Cache:
    return Cache(tmp_path / "cache")


@pytest.fixture
def index(monkeypatch) -> Index:
    return Index(monkeypatch)


@pytest.fixture
def hub(tmp_path):
    with Hub(settings=ClientSettings.load(url="http://hub.invalid", cache_dir=tmp_path / "cache")) as hub:
        yield hub
