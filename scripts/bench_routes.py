"""What every page and every list of the API costs on a large hub: a part of ``scripts/bench registry``.

The routes are the application's own, as in ``tests/hub_server/test_statements.py``, so a new page is measured too. The
owner of the most packages asks, as a moderator who has just typed the password: who sees most. What is left out is
named on standard error: a route that names what the hub lacks, one that refuses, and one all of whose tables are empty.
"""

import argparse
import asyncio
import re
import sys
from collections.abc import Mapping

import httpx
from fastapi import FastAPI
from sqlalchemy import select, text
from sqlalchemy.orm import Session

from hub_server.accounts.actions.web_sessions import make_proof
from hub_server.accounts.models import AccountRow
from hub_server.database.base import Base
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.names import distribution_name, import_name
from scripts.bench_page import measure_page, sent_statements
from tests.making.hub_addresses import Names, read_addresses, read_routes

_OF_ANY_PAGE = {"accounts", "web_sessions", "memberships", "rate_buckets", "read_only"}
"""Tables that are asked because somebody asks."""
_LARGEST_OWNER = "SELECT owner FROM packages GROUP BY owner ORDER BY count(*) DESC, owner LIMIT 1"
_MOST_RELEASED = (
    "SELECT p.id, p.latest_version FROM packages p JOIN releases r ON r.package_id = p.id WHERE {} "
    "GROUP BY p.id, p.latest_version, p.grade ORDER BY p.grade = 'U', count(*) DESC, p.id LIMIT 1"
)


def largest_owner(session: Session) -> str:
    """Who has the most packages. Such an account asks for the routes, and must be a moderator."""
    return str(session.execute(text(_LARGEST_OWNER)).scalar_one())


def prove(services: Services, name: str) -> str:
    """A secret that acts for the account as if its password had just been typed. It ends after some minutes."""
    with services.database.writing() as session:
        row = session.scalars(select(AccountRow).where(AccountRow.name == name)).one()
        return make_proof(UnitOfWork(session, services), row).secret


def measure_routes(
    services: Services, app: FastAPI, headers: Mapping[str, Mapping[str, str]], options: argparse.Namespace
) -> dict[str, float]:
    """Each route's figures, by its path. ``headers``: route -> what is sent there; those of "" elsewhere."""
    with services.database.reading() as session:
        addresses = read_addresses(app, services, seeded_names(session))
        tables = Base.metadata.tables
        filled = {name for name in tables if session.scalar(select(select(tables[name]).exists()))}
    figures: dict[str, float] = {}
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    for route in read_routes(app):
        if options.only not in route:
            continue
        sent = {"Accept": "text/html, */*", **headers.get(route, headers[""])}
        client = httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=sent)
        reason = _why_left_out(client, services, addresses.get(route), filled)
        if reason:
            sys.stderr.write(f"left out: {route} ({reason})\n")
        else:
            figures |= asyncio.run(measure_page(client, services, route, addresses[route], options))
    return figures


def _why_left_out(client: httpx.AsyncClient, services: Services, address: str | None, filled: set[str]) -> str:
    if address is None:
        return "the hub has none"
    with sent_statements(services.database.engine) as statements:
        status = asyncio.run(client.get(address)).status_code
    if status >= 400:
        return f"status {status}"
    asked = _tables(statements) - _OF_ANY_PAGE
    return f"no rows in {', '.join(sorted(asked))}" if asked and not asked & filled else ""


def _tables(statements: list[str]) -> set[str]:
    named = {name for statement in statements for name in re.findall(r"\b(?:FROM|JOIN)\s+(\w+)", statement)}
    return named & Base.metadata.tables.keys()


def seeded_names(session: Session) -> Names:
    """Names for the addresses of a hub that ``verihub admin seed`` has filled."""
    owner = largest_owner(session)
    shown = _most_released(session, "p.owner = :value", owner)
    package, version = f"{shown['owner']}/{shown['name']}", str(shown["version"])
    folder = import_name(package)
    more = {
        "before": _before(version),
        "project": distribution_name(package).replace("_", "-"),
        "path": f"{folder}/__init__.py",
        "filename": f"{folder}-{version}-py3-none-any.whl",
        "word": "the",
        "question_id": None,
    }
    elsewhere: dict[str, Mapping[str, str | None]] = {
        "account": {"name": owner},
        "organization": {"name": None},
        "benchmark": _most_released(session, "p.kind = :value", "benchmark"),
        "suite": _most_released(session, "p.kind = :value", "suite"),
        "collection": {"name": None},
    }
    return Names({**shown, **more}, elsewhere)


def _most_released(session: Session, where: str, value: str) -> Mapping[str, str | None]:
    """Names of a package and its newest release; of a measured package before one that is not."""
    row = session.execute(text(_MOST_RELEASED.format(where)), {"value": value}).one_or_none()
    if row is None:
        return {"owner": None, "name": None, "version": None}
    owner, name = str(row.id).split("/")
    return {"owner": owner, "name": name, "version": row.latest_version}


def _before(version: str) -> str:
    """The release before: made-up ones are numbered 1.0.0, 2.0.0 and so on."""
    return f"{max(1, int(version.partition('.')[0]) - 1)}.0.0"
