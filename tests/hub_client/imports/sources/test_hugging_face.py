"""Data sets by name: a hub that answers over HTTP as the Hugging Face hub does."""

import functools
import hashlib
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

import huggingface_hub
import pytest

from hub_client.errors import HubUnreachableError, NotFoundError, UsageError
from hub_client.imports.draft import ImportRefusedError
from hub_client.imports.registry import Request
from hub_client.imports.sources import hugging_face
from hub_client.imports.sources.hugging_face import HuggingFace

COMMIT = "0123456789abcdef0123456789abcdef01234567"
CARD = b"---\nlicense: mit\n---\n# Sums\n"


def _rows(*numbers: int) -> bytes:
    return b"".join(json.dumps({"question": f"{n} + 1?", "answer": str(n + 1)}).encode() + b"\n" for n in numbers)


class Hub(ThreadingHTTPServer):
    """``files`` of data set ours/sums; ``refusal``: the X-Error-Code of every answer, with its status."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answers)
        self.files: dict[str, bytes] = {}
        self.refusal: tuple[int, str] | None = None
        self.asked: list[str] = []


class Answers(BaseHTTPRequestHandler):
    server: Hub

    def do_HEAD(self) -> None:
        self.answer(body=False)

    def do_GET(self) -> None:
        self.answer(body=True)

    def answer(self, *, body: bool) -> None:
        path = unquote(urlsplit(self.path).path)
        self.server.asked.append(path)
        if self.server.refusal is not None:
            status, code = self.server.refusal
            return self.send(status, b"", {"X-Error-Code": code})
        files = self.server.files
        if path.startswith("/api/datasets/ours/sums"):
            if "/tree/" in path:
                tree = [
                    {"type": "file", "path": name, "size": len(data), "oid": hashlib.sha1(data).hexdigest()}
                    for name, data in files.items()
                ]
                return self.send(200, json.dumps(tree).encode())
            siblings = [{"rfilename": name, "size": len(data)} for name, data in files.items()]
            return self.send(200, json.dumps({"id": "ours/sums", "sha": COMMIT, "siblings": siblings}).encode())
        prefix = f"/datasets/ours/sums/resolve/{COMMIT}/"
        data = files.get(path.removeprefix(prefix)) if path.startswith(prefix) else None
        if data is None:
            return self.send(404, b"", {"X-Error-Code": "RepoNotFound"})
        headers = {"ETag": f'"{hashlib.sha1(data).hexdigest()}"', "X-Repo-Commit": COMMIT}
        return self.send(200, data if body else b"", headers, len(data))

    def send(self, status: int, data: bytes, headers: dict | None = None, length: int | None = None) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data) if length is None else length))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def hub(tmp_path, monkeypatch):
    server = Hub()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    _point_to(f"http://127.0.0.1:{server.server_port}", tmp_path, monkeypatch)
    yield server
    server.shutdown()
    server.server_close()


def _point_to(address: str, tmp_path, monkeypatch) -> None:
    given = {"endpoint": address, "token": False}
    fetch = functools.partial(huggingface_hub.snapshot_download, cache_dir=tmp_path / "hub", **given)
    monkeypatch.setattr(huggingface_hub, "snapshot_download", fetch)
    monkeypatch.setattr(huggingface_hub, "HfApi", functools.partial(huggingface_hub.HfApi, **given))


@pytest.fixture
def sums(hub, cache):
    def make(where: str = "ours/sums", **more) -> HuggingFace:
        return HuggingFace(Request(cache, where, **more))

    return make


def test_a_data_set_comes_by_name_with_its_splits_licence_and_commit(hub, sums) -> None:
    hub.files = {
        "README.md": CARD,
        "data/train-00000-of-00002.jsonl": _rows(1, 2),
        "data/train-00001-of-00002.jsonl": _rows(3),
        "data/test-00000-of-00001.jsonl": _rows(4),
        "loader.py": b"raise SystemExit",
    }
    draft = sums().draft("ours/sums")
    assert {split: len(rows) for split, rows in draft.splits.items()} == {"train": 3, "test": 1}
    origin = draft.provenance
    assert (origin.source, origin.version, origin.licence) == ("hf:ours/sums", COMMIT[:12], "MIT")
    assert not any("loader.py" in path for path in hub.asked), "no program is fetched"


def test_the_hubs_own_copy_has_folders_for_configurations_and_splits(hub, sums) -> None:
    hub.files = {
        "easy/train/0000.jsonl": _rows(1, 2),
        "easy/test/0000.jsonl": _rows(3),
        "hard/train/0000.jsonl": _rows(7),
    }
    with pytest.raises(UsageError, match=r"several configurations: name one with --arg config=easy\|hard"):
        sums().draft("ours/sums")
    with pytest.raises(UsageError, match="several"):
        sums(arguments={"config": "none"}).draft("ours/sums")
    with pytest.raises(UsageError, match="and not split"):
        sums(arguments={"split": "test"}).draft("ours/sums")
    draft = sums(arguments={"config": "easy"}, licence="CC0-1.0").draft("ours/sums")
    assert {split: len(rows) for split, rows in draft.splits.items()} == {"train": 2, "test": 1}
    assert draft.provenance.arguments == {"config": "easy"}, "--update takes the same one"
    assert not any("hard" in path for path in hub.asked if "/resolve/" in path)


def test_offline_what_was_fetched_serves_and_nobody_is_asked(hub, sums) -> None:
    hub.files = {"README.md": CARD, "test.jsonl": _rows(1, 2)}
    with pytest.raises(HubUnreachableError, match="hf:ours/sums was not fetched before, and --offline forbids") as told:
        sums(offline=True).draft("ours/sums")
    assert "\n" not in str(told.value)
    assert hub.asked == []
    online = sums().draft("ours/sums")
    hub.asked.clear()
    assert sums(offline=True).draft("ours/sums") == online
    assert hub.asked == []


def test_without_a_network_it_ends_with_one_sentence(sums, tmp_path, monkeypatch) -> None:
    _point_to("http://127.0.0.1:9", tmp_path, monkeypatch)
    with pytest.raises(HubUnreachableError, match="hf:ours/sums could not be fetched: ") as told:
        sums().draft("ours/sums")
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("status", "code", "kind", "words"),
    [
        (404, "RepoNotFound", NotFoundError, "is not there, or you may not see it"),
        (403, "GatedRepo", NotFoundError, "accept its terms"),
        (404, "RevisionNotFound", NotFoundError, "no such revision"),
        (400, "Anything", HubUnreachableError, "could not be fetched"),
    ],
)
def test_each_refusal_is_said_in_its_own_words(hub, sums, status: int, code: str, kind: type, words: str) -> None:
    hub.refusal = (status, code)
    with pytest.raises(kind, match=words):
        sums("ours/sums@v9").draft("ours/sums@v9")


def test_what_has_no_rows_or_too_many_is_refused_before_it_is_fetched(hub, sums, monkeypatch) -> None:
    hub.files = {"README.md": CARD, "data.csv": b"a,b\n"}
    with pytest.raises(ImportRefusedError, match=r"no \.jsonl or \.parquet files.*@refs/convert/parquet"):
        sums().draft("ours/sums")
    hub.files = {"train.jsonl": _rows(1)}
    monkeypatch.setattr(hugging_face, "_LARGEST", 10)
    with pytest.raises(ImportRefusedError, match="MB are the most: take a part of it"):
        sums().draft("ours/sums")
    assert not any("/resolve/" in path for path in hub.asked)


def test_a_name_that_is_none_and_a_library_that_is_not_there_are_told(cache, monkeypatch) -> None:
    with pytest.raises(UsageError, match="hf:OWNER/DATASET"):
        HuggingFace(Request(cache, "sums")).draft("sums")
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(UsageError, match=r"needs huggingface_hub: `.*huggingface"):
        HuggingFace(Request(cache, "ours/sums")).draft("ours/sums")
