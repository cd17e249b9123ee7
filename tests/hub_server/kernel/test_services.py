"""The services of a hub: closed once each, whoever asks twice, and frozen once they are wired."""

import asyncio
from dataclasses import FrozenInstanceError, fields, replace

import pytest

from hub_server.errors import ExecutionUnavailableError, HubServerError
from hub_server.kernel.services import Services
from hub_server.ports.mailer import Mail, MailError
from hub_server.ports.tool_server import NoToolServer
from tests.making.action_driver import ActionDriver


class Counted:
    """Counts how often it is closed, and notes in which order."""

    def __init__(self, name: str, order: list[str], inner: object = None) -> None:
        self._name = name
        self._order = order
        self._inner = inner

    def close(self) -> None:
        self._order.append(self._name)

    def __getattr__(self, name: str):
        return getattr(self._inner, name)


def test_what_serves_is_closed_before_what_it_uses(driver: ActionDriver) -> None:
    """A tool server holds boxes of the executor, and the executor may still write what it has found."""
    order: list[str] = []
    names = ("tools", "executor", "database")
    counted = {name: Counted(name, order, getattr(driver.services, name)) for name in names}
    replace(driver.services, **counted).close()
    assert order == ["tools", "executor", "database"]


def test_closing_twice_is_harmless(driver: ActionDriver) -> None:
    driver.services.close()
    driver.services.close()


def test_a_closed_hub_runs_no_code(driver: ActionDriver) -> None:
    release = object()
    driver.services.close()
    assert driver.services.executor.unavailable_reason()
    with pytest.raises(ExecutionUnavailableError):
        list(driver.services.executor.score(release, []))


def test_nothing_is_exchanged_behind_the_back_of_whoever_holds_them(driver: ActionDriver) -> None:
    with pytest.raises(FrozenInstanceError):
        driver.services.clock = None  # type: ignore[misc]


def test_every_part_is_named_and_only_what_a_hub_can_do_without_may_be_left_out(driver: ActionDriver) -> None:
    values = {field.name: getattr(driver.services, field.name) for field in fields(Services)}
    assert isinstance(values["tools"], NoToolServer)
    left_out = ("tools", "mailer", "identities", "outgoing")
    without_tools = {name: value for name, value in values.items() if name not in left_out}
    with pytest.raises(MailError):
        Services(**without_tools).mailer.send(Mail(to="a@example.org", subject="x", text="x"))
    assert isinstance(Services(**without_tools).tools, NoToolServer)
    for name in without_tools:
        with pytest.raises(TypeError):
            Services(**{other: value for other, value in without_tools.items() if other != name})


async def nothing(*_arguments: object) -> None:
    """Neither receives nor sends."""


def test_a_hub_without_tools_says_so(driver: ActionDriver) -> None:
    with pytest.raises(HubServerError):
        asyncio.run(driver.services.tools.answer(None, {}, nothing, nothing))
