"""What operators ask: alive is not ready, a sandbox that is away is no outage, and numbers have names."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from hub_server.app import create_app
from hub_server.errors import StorageUnavailableError
from hub_server.kernel.job_names import JobName
from hub_server.ops.endpoints import _check
from hub_server.settings import ServerSettings
from tests.making.action_driver import ActionDriver
from tests.making.hub import METRICS_TOKEN, Api


class Away:
    """A part that does not answer; everything else is the real one's."""

    def __init__(self, inner: object, words: str) -> None:
        self._inner = inner
        self._words = words

    def check(self) -> None:
        raise StorageUnavailableError(self._words)

    def __getattr__(self, name: str):
        return getattr(self._inner, name)


def api_of(driver: ActionDriver, **changes) -> Api:
    return Api(create_app(replace(driver.services, **changes)))


def test_a_hub_says_where_its_things_are_by_the_address_that_it_was_reached_under(driver: ActionDriver) -> None:
    found = api_of(driver).get("/.well-known/verihub.json").json()
    for name in ("api", "index", "docs", "openapi", "device", "keys"):
        assert found[name].startswith("http://hub.test/"), name
    assert found["limits"]["wheel_bytes"] == driver.services.settings.limits.wheel_bytes
    assert [key["id"] for key in found["signing_keys"]] == [driver.services.signer.key_id]


def test_behind_a_proxy_the_operators_address_counts(driver: ActionDriver) -> None:
    settings = driver.services.settings.model_copy(update={"public_url": "https://hub.example/base/"})
    found = api_of(driver, settings=settings).get("/.well-known/verihub.json").json()
    assert found["api"] == "https://hub.example/base/api/v1"


def test_a_live_process_says_so_whatever_else_is_away(driver: ActionDriver) -> None:
    api = api_of(
        driver, database=Away(driver.services.database, "no database"), blobs=Away(driver.services.blobs, "no blobs")
    )
    assert (api.get("/healthz").status_code, api.get("/healthz").text) == (200, "ok\n")


@pytest.mark.parametrize("part", ["database", "blobs"])
def test_a_hub_without_rows_or_bytes_is_not_ready_and_says_which(driver: ActionDriver, part: str) -> None:
    answer = api_of(driver, **{part: Away(getattr(driver.services, part), f"the {part} does not answer")}).get(
        "/readyz"
    )
    assert answer.status_code == 503
    body = answer.json()
    assert (body["ready"], body[part]) == (False, f"the {part} does not answer")
    assert answer.headers["Cache-Control"] == "no-store"


def test_without_a_sandbox_the_hub_is_ready_and_the_sandbox_is_not(driver: ActionDriver) -> None:
    driver.executor.reason = "no engine"
    api = api_of(driver)
    answer = api.get("/readyz")
    assert (answer.status_code, answer.json()["sandbox"]) == (200, "no engine")
    assert 'verihub_sandbox_available{part="sandbox"} 0' in api.metrics()


def test_a_token_of_the_operators_alone_reads_the_numbers(driver: ActionDriver) -> None:
    settings = driver.services.settings.model_copy(update={"metrics_token": "s3cret"})
    api = api_of(driver, settings=settings)
    assert [api.get("/metrics").status_code, api.as_token("other").get("/metrics").status_code] == [401, 401]
    assert "verihub_jobs" in api.as_token("s3cret").get("/metrics").text
    none = driver.services.settings.model_copy(update={"metrics_token": ""})
    local = api_of(driver, settings=none).get("/metrics")
    assert (local.status_code, "verihub_jobs" in local.text) == (403, False)


def test_metrics_name_jobs_rows_and_the_sandbox(driver: ActionDriver) -> None:
    driver.publish(driver.person("alice"))
    api = api_of(driver)
    answer = api.as_token(METRICS_TOKEN).get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    for line in (
        'verihub_jobs{state="queued"} 1', 'verihub_rows{table="packages"} 1', 'verihub_sandbox_available{part="sandbox"} 1',
    ):  # fmt: skip
        assert line in answer.text
    assert answer.text.endswith("\n")


def test_a_check_that_fails_in_an_unforeseen_way_is_no_ok() -> None:
    def broken() -> None:
        raise RuntimeError("a bug")

    with pytest.raises(RuntimeError):
        _check(broken)
    assert _check(lambda: None) == "ok"


def test_mails_and_messages_are_counted_by_state(driver: ActionDriver) -> None:
    text = api_of(driver).metrics()
    assert 'verihub_webhooks{state="on"} 0' in text
    assert "verihub_mails" in text
    driver.do(None, lambda work: work.queue(JobName.SEND_RESET, {"account": "nobody"}))
    assert 'verihub_mails{state="queued"} 1' in api_of(driver).metrics()


def test_security_txt_names_whom_the_operator_named_and_is_always_fresh(driver: ActionDriver) -> None:
    assert api_of(driver).get("/.well-known/security.txt").status_code == 404
    more = {"security_contact": "mailto:security@hub.example", "public_url": "https://hub.example"}
    answer = api_of(driver, settings=driver.services.settings.model_copy(update=more)).get("/.well-known/security.txt")
    assert answer.headers["content-type"].startswith("text/plain")
    fields = dict(line.split(": ", 1) for line in answer.text.splitlines())
    assert fields["Contact"] == "mailto:security@hub.example"
    assert fields["Canonical"] == "https://hub.example/.well-known/security.txt"
    left = datetime.fromisoformat(fields["Expires"]) - driver.clock.now()
    assert timedelta(days=88) < left < timedelta(days=91)


@pytest.mark.parametrize(
    "contact", ["security@hub.example", "http://hub.example", "mailto:a@b\nContact: evil", "tel:1"]
)
def test_a_contact_that_the_standard_does_not_know_is_refused(contact: str) -> None:
    with pytest.raises(ValueError, match="mailto:"):
        ServerSettings(security_contact=contact)
