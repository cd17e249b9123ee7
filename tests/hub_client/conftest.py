import pytest

_OURS = ("VERIHUB_URL", "VERIHUB_TOKEN", "VERIHUB_FORMAT", "VERIHUB_OFFLINE", "VERIHUB_RUN_AT", "VERIHUB_BACKEND")


@pytest.fixture(autouse=True)
def own_folders(tmp_path, monkeypatch):
    """Nothing of the machine's user is read or written, and the working folder is the test's own."""
    for name in _OURS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("VERIHUB_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("VERIHUB_CACHE_DIR", str(tmp_path / "cache"))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return work
