"""Models by name: a hub that answers over HTTP as the Hugging Face hub does, with a small real model on it."""

import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

import huggingface_hub
import huggingface_hub.constants
import pytest
import torch

from trainer_bridge.errors import ModelError, ModelUnreachableError, UnknownModelError
from trainer_bridge.models.hugging_face import fetched_folder
from trainer_bridge.models.loaded_model import load_model
from trainer_bridge.models.saved_model import save_model

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class Hub(ThreadingHTTPServer):
    """``files`` of model ours/tiny; ``refusal``: the X-Error-Code of every answer, with its status."""

    def __init__(self, files):
        super().__init__(("127.0.0.1", 0), Answers)
        self.files, self.refusal, self.asked = files, None, []


class Answers(BaseHTTPRequestHandler):
    server: Hub

    def do_HEAD(self):
        self.answer(body=False)

    def do_GET(self):
        self.answer(body=True)

    def answer(self, *, body):
        path = unquote(urlsplit(self.path).path)
        self.server.asked.append(path)
        if self.server.refusal is not None:
            status, code = self.server.refusal
            return self.send(status, b"", {"X-Error-Code": code})
        if path.startswith("/api/models/ours/tiny"):
            listed = [{"rfilename": name, "size": len(data)} for name, data in self.server.files.items()]
            if "/tree/" in path:
                listed = [
                    {"type": "file", "path": name, "size": len(data), "oid": hashlib.sha1(data).hexdigest()}
                    for name, data in self.server.files.items()
                ]
                return self.send(200, json.dumps(listed).encode())
            return self.send(200, json.dumps({"id": "ours/tiny", "sha": COMMIT, "siblings": listed}).encode())
        prefix = f"/ours/tiny/resolve/{COMMIT}/"
        data = self.server.files.get(path.removeprefix(prefix)) if path.startswith(prefix) else None
        if data is None:
            return self.send(404, b"", {"X-Error-Code": "RepoNotFound"})
        headers = {"ETag": f'"{hashlib.sha1(data).hexdigest()}"', "X-Repo-Commit": COMMIT}
        return self.send(200, data if body else b"", headers, len(data))

    def send(self, status, data, headers=None, length=None):
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data) if length is None else length))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


@pytest.fixture
def hub(tiny, tmp_path, monkeypatch):
    folder = save_model(tiny, tmp_path / "published")
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    server = Hub({**files, "pytorch_model.bin": b"a program"})
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    address = f"http://127.0.0.1:{server.server_port}"
    point_to(address, monkeypatch, tmp_path)
    yield server
    server.shutdown()
    server.server_close()


def point_to(address, monkeypatch, tmp_path):
    snapshot = huggingface_hub.snapshot_download

    def here(*given, **named):
        return snapshot(*given, **named, endpoint=address, cache_dir=tmp_path / "hub", token=False)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", here)


def test_a_model_is_fetched_by_name_and_is_the_one_that_was_published(hub, tiny, tmp_path):
    loaded = load_model("ours/tiny", dtype=torch.float32, device=torch.device("cpu"), cache=tmp_path)
    assert loaded.revision == COMMIT
    assert all(torch.equal(a, b) for a, b in zip(tiny.model.parameters(), loaded.model.parameters(), strict=True))
    assert not any("pytorch_model.bin" in path for path in hub.asked), "no pickle is fetched"


def test_what_was_fetched_before_serves_without_a_network(hub, tmp_path, monkeypatch):
    folder = fetched_folder("ours/tiny")
    hub.shutdown()
    hub.server_close()
    assert fetched_folder("ours/tiny") == folder


def test_offline_nobody_is_asked(hub):
    with pytest.raises(ModelUnreachableError, match="--offline forbids"):
        fetched_folder("ours/tiny", offline=True)
    assert hub.asked == []
    folder = fetched_folder("ours/tiny")
    hub.asked.clear()
    assert fetched_folder("ours/tiny", offline=True) == folder
    assert hub.asked == []


@pytest.mark.parametrize(
    ("status", "code", "kind", "words"),
    [
        (404, "RepoNotFound", UnknownModelError, "neither a folder with transformers' config.json nor a model of the"),
        (403, "GatedRepo", UnknownModelError, "accept its terms"),
        (404, "RevisionNotFound", UnknownModelError, "no revision 'v9'"),
        (400, "Anything", ModelUnreachableError, "could not be fetched"),
    ],
)
def test_each_refusal_is_said_in_its_own_words(hub, status, code, kind, words):
    hub.refusal = (status, code)
    with pytest.raises(kind, match=words):
        fetched_folder("ours/tiny@v9")


def test_without_a_network_it_says_what_can_be_done(tmp_path, monkeypatch):
    point_to("http://127.0.0.1:9", monkeypatch, tmp_path)
    with pytest.raises(ModelUnreachableError, match=r"no folder here.*name a folder in transformers' format") as told:
        fetched_folder("ours/tiny")
    assert "\n" not in str(told.value)


def test_a_model_without_safetensors_is_refused(hub):
    hub.files.pop("model.safetensors")
    with pytest.raises(ModelError, match="safetensors, and no other is read"):
        fetched_folder("ours/tiny")
