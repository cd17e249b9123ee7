"""A hub that says what a test tells it to say, in this process, and remembers what it was asked."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import httpx

from schemas.package import PackageCard, PackageDetail, Release
from schemas.wheels.wheel import read_wheel

URL = "http://hub.example"
NOW = datetime(2026, 11, 1, tzinfo=UTC)
Answer = Callable[[httpx.Request], httpx.Response]


def problem(status: int, code: str, detail: str) -> httpx.Response:
    """A refusal as a hub words it."""
    return httpx.Response(status, json={"title": code, "status": status, "code": code, "detail": detail})


def card_of(package: str, **changes: Any) -> PackageCard:
    """A card of the catalogue."""
    fields: dict[str, Any] = {
        "id": package, "kind": "environment", "summary": "", "tags": [], "licence": "MIT", "latest": "1.0.0",
        "latest_digest": None, "updated_at": NOW,
    }  # fmt: skip
    return PackageCard(**(fields | changes))


class ScriptedHub:
    """``on`` sets an answer, ``add`` a release with its wheel; everything else is not found."""

    def __init__(self) -> None:
        self.answers: dict[tuple[str, str], Answer] = {}
        self.asked: list[str] = []
        """``GET /packages/alice/x``, in order."""
        self.bodies: list[bytes] = []
        self.releases: dict[str, list[Release]] = {}

    def on(self, method: str, path: str, answer: Any, status: int = 200) -> None:
        """``answer``: JSON data, a function of the request, or a response."""
        if isinstance(answer, httpx.Response):
            self.answers[method, path] = lambda _: answer
        elif callable(answer):
            self.answers[method, path] = answer
        else:
            text = answer.model_dump_json() if hasattr(answer, "model_dump_json") else json.dumps(answer)
            self.answers[method, path] = lambda _: httpx.Response(status, content=text.encode())

    def add(self, wheel: bytes, *, sent: bytes | None = None, **changes: Any) -> Release:
        """A release of ``wheel``; ``sent`` are the bytes that a download gives in its place."""
        contents = read_wheel(wheel)
        package, version = contents.manifest.id, contents.metadata.version
        fields: dict[str, Any] = {
            "package": package, "version": version, "digest": contents.digest, "size_bytes": contents.size_bytes,
            "published_at": NOW, "published_by": "alice", "licence": "MIT", "manifest": contents.manifest,
        }  # fmt: skip
        release = Release(**(fields | changes))
        self.releases.setdefault(package, []).append(release)
        detail = PackageDetail(card=card_of(package), owner="alice", created_at=NOW, releases=self.releases[package])
        self.on("GET", f"/packages/{package}", detail)
        place = f"/packages/{package}/releases/{version}"
        self.on("GET", place, release)
        self.on("GET", f"{place}/wheel", httpx.Response(200, content=wheel if sent is None else sent))
        self.on("GET", f"{place}/audits", {"items": []})
        return release

    def __call__(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path.removeprefix("/api/v1")
        self.asked.append(f"{request.method} {path}")
        self.bodies.append(request.read())
        answer = self.answers.get((request.method, path))
        return answer(request) if answer else problem(404, "package_not_found", f"there is no {path}")
