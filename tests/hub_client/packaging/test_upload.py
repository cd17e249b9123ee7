"""A large wheel goes up in parts: what arrived before the line broke is not sent again."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from hub_client.errors import HubClientError, HubUnreachableError, refusal_of
from hub_client.packaging import upload
from hub_client.packaging.upload import find_published, publish_wheel
from hub_client.transport.requests.call import ApiCall, problem_of
from hub_server.accounts.actions import create_token
from hub_server.app import create_app
from hub_server.database.engine import Database
from hub_server.database.schema_steps import upgrade
from schemas.account import TokenCreate
from schemas.package import PublishReceipt
from tests.making.action_driver import open_driver, person
from tests.making.hub import Api, make_package

PART = 700
WHEEL = make_package()


@dataclass
class Line:
    """The way to a hub in this process, which breaks before its ``breaks_at``-th request."""

    api: Api
    breaks_at: int = 10_000
    is_old: bool = False
    """The hub knows no uploads."""
    sent: list[str] = field(default_factory=list)

    def send(self, call: ApiCall[Any]) -> Any:
        if len(self.sent) >= self.breaks_at:
            raise HubUnreachableError("the line is broken")
        self.sent.append(f"{call.method} {call.path.rpartition('/')[2]}")
        if self.is_old and "/uploads/" in call.path:
            raise refusal_of(problem_of(404, b""))
        more = {"params": dict(call.params), "content": call.content, "headers": dict(call.headers)}
        answer = self.api.request(call.method, call.path, **more)
        if answer.is_error:
            raise refusal_of(problem_of(answer.status_code, answer.content))
        return call.read(answer.json() if answer.content else None)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty hub's database."""
    path = tmp_path_factory.mktemp("sqlite") / "template.sqlite3"
    database = Database(f"sqlite:///{path}")
    upgrade(database)
    database.close()
    return path


@pytest.fixture
def hub(template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Api]:
    monkeypatch.setattr(upload, "SMALL_BYTES", PART)
    driver = open_driver(tmp_path, template)
    settings = driver.services.settings
    limits = settings.limits.model_copy(update={"body_bytes": PART})
    services = replace(driver.services, settings=settings.model_copy(update={"limits": limits}))
    driver.person("alice")
    yield Api(create_app(services), driver.do(person("alice"), create_token, TokenCreate(name="t")).secret)
    driver.services.close()


def is_published(receipt: PublishReceipt) -> bool:
    return receipt.created and receipt.release.package == "alice/small-sums"


def test_after_a_break_only_what_is_missing_is_sent(hub: Api) -> None:
    count = -(-len(WHEEL) // PART)
    broken = Line(hub, breaks_at=3)
    with pytest.raises(HubUnreachableError):
        publish_wheel(broken, WHEEL)
    assert broken.sent[1:] == ["PUT 0", "PUT 1"]
    again = Line(hub)
    seen: list[tuple[int, int]] = []
    assert is_published(publish_wheel(again, WHEEL, sent=lambda done, total: seen.append((done, total))))
    assert again.sent[1:] == [*(f"PUT {number}" for number in range(2, count)), "POST packages"]
    assert seen == [(number * PART, len(WHEEL)) for number in range(count)]


def test_parts_of_another_wheel_or_with_other_bytes_are_sent_anew(hub: Api) -> None:
    line = Line(hub)
    assert publish_wheel(line, WHEEL, dry_run=True).created is False
    other = make_package(version="1.0.1")
    assert publish_wheel(line, other).created
    digest = line.api.get("/api/v1/packages/alice/small-sums/releases/1.0.1").json()["digest"]
    assert digest == upload.digest_of(other)


def test_parts_that_were_cut_at_another_size_are_forgotten(hub: Api) -> None:
    digest = upload.digest_of(WHEEL)
    for number in range(0, len(WHEEL), 100):
        path = f"/api/v1/uploads/{digest}/parts/{number // 100}"
        assert hub.request("PUT", path, content=WHEEL[number : number + 100]).status_code == 200
    line = Line(hub)
    assert is_published(publish_wheel(line, WHEEL))
    assert any(sent.startswith("DELETE") for sent in line.sent)


def test_a_small_wheel_and_one_for_an_older_hub_go_at_once(hub: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    old = Line(hub, is_old=True)
    assert is_published(publish_wheel(old, WHEEL))
    assert old.sent[1:] == ["POST packages"]
    monkeypatch.setattr(upload, "SMALL_BYTES", len(WHEEL))
    small = Line(hub)
    assert not publish_wheel(small, WHEEL).created
    assert small.sent == ["POST packages"]


@pytest.mark.parametrize("part_bytes", [0, -5, 2**70])
def test_a_hub_that_says_nonsense_about_parts_harms_nobody(part_bytes: int) -> None:
    class Lying:
        def __init__(self) -> None:
            self.sent: list[ApiCall[Any]] = []

        def send(self, call: ApiCall[Any]) -> Any:
            self.sent.append(call)
            if call.method == "GET":
                return call.read({"digest": "x", "part_bytes": part_bytes, "parts": []})
            raise HubClientError("refused")

    hub, wheel = Lying(), b"x" * (upload.SMALL_BYTES + 1)
    with pytest.raises(HubClientError, match="refused"):
        publish_wheel(hub, wheel)
    assert sum(len(call.content or b"") for call in hub.sent) == len(wheel)


def test_what_its_author_has_published_is_known_by_one_small_request(hub: Api) -> None:
    digest = upload.digest_of(WHEEL)
    wanted = ("alice/small-sums", "1.0.0")
    assert find_published(Line(hub), *wanted, digest, "alice") is None
    publish_wheel(Line(hub), WHEEL)
    line = Line(hub)
    found = find_published(line, *wanted, digest, "alice")
    assert found is not None
    assert (found.created, found.release.digest, line.sent) == (False, digest, ["GET 1.0.0"])
    assert found == publish_wheel(Line(hub), WHEEL).model_copy(update={"url": found.url})
    assert find_published(Line(hub), *wanted, f"sha256:{'0' * 64}", "alice") is None
    assert find_published(Line(hub), *wanted, digest, "bob") is None  # the hub says whether bob may publish it
