"""The page that compares runs: chosen by boxes, an id or an address; what a reader may not see is not there."""

from typing import Any

import pytest

from tests.hub_server.site.conftest import Browser
from tests.making.hub import Api


def make_run(alice: Api, name: str, step: float, **more: Any) -> str:
    made = alice.post("/api/v1/runs", json={"name": name, **more}).json()["id"]
    points = [{"step": number, "values": {"reward": number * step}} for number in range(12)]
    assert alice.post(f"/api/v1/runs/{made}/metrics", json={"items": points}).status_code < 300
    return made


@pytest.fixture
def pair(alice: Api) -> tuple[str, str]:
    return make_run(alice, "slow", 0.01), make_run(alice, "fast", 0.05)


def test_two_runs_share_a_chart_and_its_table(reader: Browser, pair: tuple[str, str]) -> None:
    page = reader.get("/runs/compare?run={}&run={}".format(*pair))
    assert (page.status, page.headings) == (200, 1)
    assert len(page.all("path", class_="plot-line run-1")) == len(page.all("path", class_="plot-line run-2")) == 1
    assert "Values of Reward, weighted" in page.text
    assert "no interval is given" in page.text
    alone = reader.get(f"/runs/compare?run={pair[1]}")
    assert "Two runs at least" in alone.text
    assert f"http://hub.test/runs/compare?run={pair[1]}" in page.links, "the first can be left out"


def test_an_address_of_a_run_is_as_good_as_its_id(reader: Browser, pair: tuple[str, str]) -> None:
    page = reader.get(
        f"/runs/compare?run={pair[0]}&run=https%3A%2F%2Fhub.test%2Fruns%2F{pair[1]}%2F%3Fphase%3Dx%23rollouts"
    )
    assert "fast" in page.text
    assert page.all("path", class_="plot-line run-2")


def test_the_list_ticks_runs_and_orders_them_by_their_last_reward(
    reader: Browser, alice: Api, pair: tuple[str, str]
) -> None:
    make_run(alice, "empty", 0.0)
    assert alice.post("/api/v1/runs", json={"name": "silent"}).status_code == 201
    page = reader.get("/runs?sort=reward")
    assert page.html.index(">fast<") < page.html.index(">slow<") < page.html.index(">empty<")
    assert ">silent<" not in page.html, "it sent no reward"
    assert "0.55" in page.text
    assert {box["value"] for box in page.all("input", type="checkbox", name="run")} >= set(pair)
    assert page.all("form", action="/runs/compare")


def test_too_many_runs_are_said_and_unknown_ones_are_not_there(
    reader: Browser, alice: Api, pair: tuple[str, str]
) -> None:
    more = [make_run(alice, f"r{number}", 0.1) for number in range(3)]
    query = "&".join(f"run={one}" for one in (*pair, *more))
    assert "1 more were named" in reader.get(f"/runs/compare?{query}").text
    assert reader.get(f"/runs/compare?run={pair[0]}&run=nothing").status == 404


def test_a_private_run_is_compared_by_its_owner_alone(reader: Browser, alice: Api, pair: tuple[str, str]) -> None:
    hidden = make_run(alice, "hidden", 0.1, is_private=True)
    assert reader.get(f"/runs/compare?run={pair[0]}&run={hidden}").status == 404
    mine = alice.get(f"/runs/compare?run={pair[0]}&run={hidden}", headers={"accept": "text/html"})
    assert mine.status_code == 200
