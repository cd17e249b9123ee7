"""The same hub with many times as many rows: each row of ``varied_hub`` is copied, beside it and below it.

Copies are of what a page lists: releases of the package, its cases, members of an organisation, organisations of a
member. A copied package, run, discussion or collection has rows of its own, so that lists of them show as much of each.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import groupby
from typing import Any

from sqlalchemy import Table, insert, select
from sqlalchemy.orm import Session

from hub_server.catalog.rules.versions import version_key
from hub_server.database.base import Base
from hub_server.database.package_changes import mark_changed
from hub_server.kernel.services import Services
from hub_server.publishing.actions import enter_missing_releases

PACKAGE = "alice/small-sums"
NOT_MULTIPLIED = {
    "event_followers": "one row for each part of the hub that follows events",
    "followed_journal": "one row on a mirror, none on a hub of its own",
    "idempotency_keys": "asked by one key, by whoever sends it again",
    "mailed_secrets": "asked by the secret",
    "device_logins": "asked by the code",
    "mirrored_packages": "on mirrors alone",
    "rate_buckets": "asked by one key",
    "read_only": "one row",
    "second_factors": "one row an account",
    "used_identities": "asked by one key",
    "upload_parts": "asked by the wheel's digest, and only while it is uploaded",
    "download_senders": "asked by one package and sender, when it downloads",
    "draws": "asked by an audit",
    "left_out_responses": "summed by the questions of one package",
    "source_minhashes": "asked by an audit",
}
"""Table -> why no page can list its rows."""
Change = str | Callable[[Mapping[str, Any], int], Any]


def multiply(services: Services, times: int) -> None:
    """Add ``times`` copies of each row to a hub that ``varied_hub.fill`` has filled."""
    with services.database.writing() as session:
        for number in range(1, times + 1):
            _Copier(session, number).copy_all()
        for package in session.scalars(select(_table("packages").c.id)):
            mark_changed(session, package)
    enter_missing_releases(services)


def _table(name: str) -> Table:
    return Base.metadata.tables[name]


BESIDE = "{}-#"
"""Of an id or a name: that of the copy."""


def _older(row: Mapping[str, Any], number: int) -> str:
    return f"0.{number}.0"


def _steps(row: Mapping[str, Any], number: int) -> int:
    return int(row["step"]) + 1000 * number


def _new(row: Mapping[str, Any], number: int) -> None:
    """The database gives it a number."""


COPIES: tuple[tuple[str, Mapping[str, Any], Mapping[str, Change]], ...] = (
    ("accounts", {}, {"id": BESIDE, "name": "{}#", "name_folded": "{}#"}),
    ("memberships", {"role": "member"}, {"account_id": BESIDE}),  # more members of acme
    ("memberships", {"role": "owner"}, {"organization_id": BESIDE}),  # more organisations of alice
    ("invitations", {}, {"account_id": BESIDE}),  # more whom acme has invited
    ("invitations", {}, {"organization_id": BESIDE}),  # more that have invited alice
    ("former_members", {}, {"member": "{}#"}),
    ("blocked_names", {}, {"name": "{}#", "name_folded": "{}#"}),
    *((name, {}, {"id": BESIDE}) for name in ("activity", "moderation_events", "reports", "signing_keys", "webhooks")),
    ("tokens", {}, {"id": BESIDE, "secret_sha256": BESIDE}),
    ("web_sessions", {}, {"secret_sha256": BESIDE}),
    ("author_keys", {}, {"public_key": BESIDE}),
    ("security_keys", {}, {"id": BESIDE, "credential_id": BESIDE}),
    ("recovery_codes", {}, {"code_sha256": BESIDE}),
    ("upload_days", {}, {"day": BESIDE}),
    ("jobs", {}, {"id": BESIDE, "unique_key": _new, "state": lambda *_: "done"}),
    ("trusted_publishers", {}, {"id": BESIDE}),
    ("webhook_deliveries", {}, {"id": BESIDE}),
    # A catalogue of more packages, each with releases of its own.
    ("packages", {}, {"id": BESIDE, "shown_release_id": BESIDE}),
    ("package_facets", {}, {"package_id": BESIDE}),
    ("releases", {}, {"id": BESIDE, "package_id": BESIDE}),
    ("release_files", {}, {"release_id": BESIDE}),
    ("release_needs", {}, {"release_id": BESIDE}),
    ("release_needs", {}, {"package_id": BESIDE}),
    (
        "releases",
        {"version": "1.1.0"},
        {"id": "{}+#", "version": _older, "version_key": lambda row, number: version_key(_older(row, number))},
    ),
    ("former_owners", {}, {"owner": "{}#"}),
    ("download_days", {}, {"day": BESIDE}),
    ("transfers", {}, {"id": BESIDE, "package_id": BESIDE}),
    ("watches", {"package_id": PACKAGE}, {"package_id": BESIDE}),
    ("watches", {"owner": "carol"}, {"owner": "{}#"}),
    ("watchers", {}, {"account_id": BESIDE, "unsubscribe_code": BESIDE}),
    # Runs, and more of one run.
    ("runs", {}, {"id": BESIDE, "name": BESIDE}),
    ("run_packages", {}, {"run_id": BESIDE}),
    ("run_packages", {}, {"package_id": BESIDE}),
    ("metric_points", {}, {"run_id": BESIDE}),
    ("metric_points", {}, {"step": _steps}),
    ("rollouts", {}, {"id": _new, "run_id": BESIDE}),
    ("rollouts", {}, {"id": _new, "step": _steps}),
    ("task_rates", {}, {"task_id": BESIDE}),
    # What was measured.
    ("audits", {}, {"id": BESIDE}),
    ("suite_results", {}, {"release_id": BESIDE}),
    ("comparisons", {}, {"id": BESIDE}),
    ("neighbours", {}, {"other_release_id": BESIDE}),
    ("benchmark_results", {}, {"id": BESIDE, "model": BESIDE}),
    ("benchmark_reports", {}, {"release_id": BESIDE}),
    ("benchmark_relations", {}, {"second_release_id": BESIDE}),
    ("benchmark_relations", {}, {"first_release_id": BESIDE}),
    # What people say.
    ("counter_examples", {}, {"id": BESIDE, "case_key": BESIDE}),
    ("case_seconds", {}, {"case_id": BESIDE}),
    ("case_seconds", {}, {"account": "{}#"}),
    ("case_disputes", {}, {"case_id": BESIDE}),
    ("case_disputes", {}, {"account": "{}#"}),
    ("label_questions", {}, {"id": BESIDE, "case_key": BESIDE}),
    ("labels", {}, {"id": BESIDE, "question_id": BESIDE}),
    ("labels", {}, {"id": "{}+#", "labelled_by": "{}#"}),
    ("discussions", {}, {"id": BESIDE, "activity": BESIDE}),
    ("posts", {}, {"discussion_id": BESIDE}),
    ("posts", {}, {"number": lambda row, number: row["number"] + 2 * number, "author": "{}#"}),
    ("discussion_watches", {}, {"discussion_id": BESIDE}),
    ("discussion_watches", {}, {"account_id": BESIDE}),
    ("collections", {}, {"id": BESIDE, "name": BESIDE}),
    ("collection_entries", {}, {"collection_id": BESIDE}),
    ("collection_entries", {}, {"package_id": BESIDE, "position": lambda row, number: row["position"] + 2 * number}),
    (
        "events",
        {},
        {
            "number": lambda row, number: row["number"] + 1000 * number,
            "position": lambda row, number: row["position"] and row["position"] + 1000 * number,
        },
    ),
    ("news", {}, {"event_number": lambda row, number: row["event_number"] + 1000 * number}),
)
"""What each copy adds: a table, which of its first rows, and what differs."""


class _Copier:
    """Makes the ``number``th copy of each row that was there at first."""

    def __init__(self, session: Session, number: int) -> None:
        self._session = session
        self._number = number
        self._known: dict[str, list[dict[str, Any]]] = session.info.setdefault("first_rows", {})

    def copy_all(self) -> None:
        """One more of everything."""
        for name, where, changes in COPIES:
            rows = [row for row in self._first(name) if all(row[at] == value for at, value in where.items())]
            self._insert(name, [self._changed(row, changes) for row in rows])

    def _first(self, name: str) -> list[dict[str, Any]]:
        """The table's rows before any copy."""
        if name not in self._known:
            self._known[name] = [dict(row) for row in self._session.execute(select(_table(name))).mappings()]
        return self._known[name]

    def _changed(self, row: Mapping[str, Any], changes: Mapping[str, Change]) -> dict[str, Any]:
        made = dict(row)
        for name, change in changes.items():
            if callable(change):
                made[name] = change(row, self._number)
            elif row[name] is not None:
                made[name] = change.replace("{}", row[name]).replace("#", str(self._number))
        return {name: value for name, value in made.items() if value is not None}

    def _insert(self, name: str, rows: Iterable[dict[str, Any]]) -> None:
        for _, alike in groupby(sorted(rows, key=sorted), key=sorted):  # a statement has the same columns in all
            self._session.execute(insert(_table(name)), list(alike))
