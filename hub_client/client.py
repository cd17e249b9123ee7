"""Hub: a hub from Python."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any, Self, TypeVar

from hub_client.environments import Environment, Verifier
from hub_client.errors import (
    AuditLimitError,
    CheckFailedError,
    HubUnreachableError,
    IntegrityError,
    NotFoundError,
    UsageError,
)
from hub_client.execution.place import choose_runner
from hub_client.execution.runner import Runner
from hub_client.integrity.journal import Journal
from hub_client.integrity.known_authors import KnownAuthors
from hub_client.integrity.known_hubs import KnownHubs
from hub_client.integrity.proofs import KeptProofs
from hub_client.packaging.pack import load_folder
from hub_client.releases.cache import Cache
from hub_client.releases.resolve import LoadedPackage, Resolver, loaded
from hub_client.settings import ClientSettings
from hub_client.transport.connection import AsyncConnection, AsyncTransport, HubConnection, Transport
from hub_client.transport.credentials import CredentialsFile
from hub_client.transport.pages import all_items
from hub_client.transport.requests import audits, packages, runs
from hub_client.transport.requests.call import ApiCall
from schemas.evidence.audit import AuditRecord
from schemas.kinds import PackageKind
from schemas.known_audit import AuditLimits, KnownAudit
from schemas.names import InvalidNameError, Reference
from schemas.package import PackageDetail, PackagePage
from schemas.run import MetricPoint, RolloutRow, Run, RunCreate, RunUpdate

Answer = TypeVar("Answer")


class Hub:
    """One hub. Settings come from arguments, ``VERIHUB_…``, the project and the user's file, in this order.

    Use it in a ``with``, or call :meth:`close`, so that boxes end. Thread-safe.
    """

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        settings: ClientSettings | None = None,
        transport: Transport | None = None,
        async_transport: AsyncTransport | None = None,
    ) -> None:
        self.settings = settings or ClientSettings.load(url=url, token=token)
        self.cache = Cache(self.settings.cache_dir)
        self.credentials = CredentialsFile(self.settings.config_dir)
        self._async_transport = async_transport
        self._connection = HubConnection(self.url, self._token(), transport=transport, **self._reach())
        known, kept = KnownHubs(self.settings.config_dir), KeptProofs(self.cache.folder)
        self.journal = Journal(self.url, self._connection, known, kept, offline=self.settings.offline)
        authors = KnownAuthors(self.settings.config_dir, self.url)
        age, offline = timedelta(days=self.settings.min_age), self.settings.offline
        self.resolver = Resolver(self._connection, self.cache, self.journal, authors, offline=offline, min_age=age)
        self.runs = Runs(self)
        self._runner: Runner | None = None
        self._lock = Lock()

    @property
    def url(self) -> str:
        """Where the hub is."""
        return self.settings.url

    @property
    def is_offline(self) -> bool:
        """Whether only what is on this machine may be used."""
        return self.settings.offline

    def send(self, call: ApiCall[Answer]) -> Answer:
        """Send any of the calls in :mod:`hub_client.transport.requests`."""
        if self.settings.offline:
            raise HubUnreachableError(f"--offline forbids asking {self.url}")
        return self._connection.send(call)

    def hub_time(self) -> datetime | None:
        """The hub's clock, or None when its answers carry no date."""
        return self._connection.hub_time()

    def search(self, query: str = "", *, kind: PackageKind | None = None, tag: str | None = None) -> PackagePage:
        """The first page of packages that have every word; else with half of them, or one in name or tags."""
        return self.send(packages.search(query, filters={"kind": kind or "", "tag": tag or ""}))

    def package(self, package_id: str) -> PackageDetail:
        """A package with all its releases."""
        return self.resolver.describe(package_id)

    def load(self, target: str | Path) -> LoadedPackage:
        """A release by reference, or a project folder; verified and on local disk."""
        folder = project_folder(target)
        if folder is not None:
            return load_folder(folder, self.cache, trust_build=self.settings.trust_build)
        return self.resolver.load(parse_reference(str(target), or_folder=True))

    def environment(self, target: str | Path, *, limits: AuditLimits | None = None) -> Environment:
        """An environment by reference or project folder, pinned to the release that the reference means now.

        Raises :class:`AuditLimitError` if the audit of its verifier exceeds ``limits``.
        """
        environment = self.environment_of(self.load(target))
        self._require(environment, limits)
        return environment

    def environment_of(self, package: LoadedPackage) -> Environment:
        """The environment of a package that is loaded already."""
        if not loaded(package).contents.manifest.tasks:
            kind = package.contents.manifest.kind
            name = package.reference
            hint = (
                "; `verihub score` or hub.verifier() gives its verdicts, and an environment may be judged by it: "
                f'verifier = "{name}" in its verihub.toml'
                if kind is PackageKind.VERIFIER
                else ""
            )
            raise CheckFailedError(f"{package.reference} is {kind.with_article} without tasks, no environment{hint}")
        environment = Environment(package, self._judge_of(package), self.runner)
        references = package.contents.manifest.foreign_tools
        environment.tool_packages = tuple(self.load(str(reference)) for reference in references)
        return environment

    def verifier(self, target: str | Path, *, limits: AuditLimits | None = None) -> Verifier:
        """A verifier by reference or project folder (an environment's verifier as well); ``limits`` as above."""
        verifier = self.verifier_of(self.load(target))
        self._require(verifier, limits)
        return verifier

    def verifier_of(self, package: LoadedPackage) -> Verifier:
        """The verifier of a package that is loaded already."""
        return Verifier(package, self._judge_of(package), self.runner)

    def newest_audit(self, package: LoadedPackage) -> AuditRecord | None:
        """The hub's newest finished audit of exactly this release; None for a folder, or if there is none.

        Raises :class:`IntegrityError` when the hub's report is about other bytes.
        """
        if package.release is None:
            return None
        records = self.send(audits.list_audits(package.package, package.version)).items
        done = next((record for record in records if record.report is not None), None)
        if done is not None and done.report is not None and done.report.digest != package.digest:
            raise IntegrityError(
                f"{self.url} has an audit of {package.reference} about {done.report.digest}, and the release is "
                f"{package.digest}: do not trust its figures"
            )
        return done

    def known_audit(self, verifier: Verifier) -> KnownAudit | None:
        """The short form of the newest audit of the release that judges for ``verifier``; None if there is none."""
        record = self.newest_audit(verifier.judge)
        if record is None or record.report is None:
            return None
        return KnownAudit.of(record.report, audit=record.id, report_digest=record.report_digest)

    def runner(self) -> Runner:
        """The runner: this machine's sandbox, or else the hub. Opened at first use, once."""
        with self._lock:
            if self._runner is None:
                self._runner = choose_runner(self.settings, self.cache, self._connection, self.open_async_connection)
            return self._runner

    def close(self) -> None:
        """End boxes and connections. Harmless to call twice."""
        with self._lock:
            if self._runner is not None:
                self._runner.close()
                self._runner = None
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _require(self, verifier: Verifier, limits: AuditLimits | None) -> None:
        if limits is not None and limits.is_set:
            require_limits(verifier.judge, limits, self.known_audit(verifier))

    def _judge_of(self, package: LoadedPackage) -> LoadedPackage:
        """The package whose code judges. It is another package when ``verifier`` is a reference."""
        manifest = loaded(package).contents.manifest
        foreign = manifest.foreign_verifier
        if foreign is None:
            if manifest.verifier is None and manifest.session is None:
                raise CheckFailedError(f"{package.reference} is {manifest.kind.with_article} and has no verifier")
            return package
        judge = self.resolver.load(foreign)
        if judge.contents.manifest.foreign_verifier is not None or judge.contents.manifest.verifier is None:
            raise CheckFailedError(
                f"{package.reference} is judged by {judge.reference}, which has no verifier of its own"
            )
        return judge

    def _token(self) -> str | None:
        if token := self.settings.token_to_send():
            return token
        found = self.credentials.find(self.url)
        return found[1] if found else None

    def _reach(self) -> dict[str, Any]:
        return {"timeout_seconds": self.settings.timeout_seconds, "connections": self.settings.connections}

    def open_async_connection(self) -> AsyncConnection:
        """A fresh asynchronous connection with this hub's token; the caller closes it."""
        return AsyncConnection(self.url, self._token(), transport=self._async_transport, **self._reach())


class Runs:
    """Training and evaluation runs on the hub."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    @property
    def url(self) -> str:
        """The hub of the runs."""
        return self._hub.url

    def create(self, run: RunCreate, key: str = "") -> Run:
        """Start a run. With the same ``key`` as before, within a day: the run that it started then."""
        return self._hub.send(runs.create_run(run, key))

    def update(self, run_id: str, change: RunUpdate) -> Run:
        """Change its state, note or summary."""
        return self._hub.send(runs.update_run(run_id, change))

    def log(self, run_id: str, points: Sequence[MetricPoint]) -> None:
        """Append metrics. A step that is sent again replaces the earlier one."""
        self._hub.send(runs.log_metrics(run_id, points))

    def rollouts(self, run_id: str, rows: Sequence[RolloutRow]) -> None:
        """Append rollouts."""
        self._hub.send(runs.log_rollouts(run_id, rows))

    def get(self, run_id: str) -> Run:
        """One run."""
        return self._hub.send(runs.get_run(run_id))

    def stored_points(self, run_id: str) -> list[MetricPoint]:
        """Its metrics by step; of very many steps some, evenly thinned."""
        return self._hub.send(runs.get_metrics(run_id)).items

    def stored_rollouts(self, run_id: str) -> list[RolloutRow]:
        """Its rollouts, in the order in which they came."""
        return all_items(lambda cursor: self._hub.send(runs.list_rollouts(run_id, cursor, limit=100)))


def require_limits(judge: LoadedPackage, limits: AuditLimits, known: KnownAudit | None) -> None:
    """Raise :class:`AuditLimitError` unless ``known``, the audit of ``judge``, is within ``limits``."""
    if known is None:
        what = "a project folder, which a hub has not measured" if judge.release is None else "measured by no audit yet"
        target = "FOLDER" if judge.release is None else judge.reference
        raise AuditLimitError(
            f"{judge.reference} judges, and is {what}, so nobody knows whether it keeps the limits. Measure it first: "
            f"`verihub audit {target} --report audit.json`, then give the report to `verihub train --audit-report "
            "audit.json`"
        )
    faults = limits.faults(known)
    if faults:
        raise AuditLimitError(
            f"{judge.reference} judges, and its audit{f' {known.audit}' if known.audit else ''} breaks the limits: "
            f"{'; '.join(faults)}"
        )


def project_folder(target: str | Path) -> Path | None:
    """``target`` as a folder when it is one: ``.``, ``./x``, an absolute path, or a folder with a pyproject.toml.

    Raises :class:`UsageError` for text that is both a package's reference and a project folder here. Otherwise a folder
    that somebody else made could run in place of the package that was meant.
    """
    if isinstance(target, Path) or target.startswith((".", "/", "~")):
        folder = Path(target).expanduser()
        if not folder.is_dir():
            raise NotFoundError(f"{target} is not a folder: name the one that holds the package's pyproject.toml")
        return folder
    if not (Path(target) / "pyproject.toml").is_file():
        return None
    if _is_reference(target):
        raise UsageError(
            f"{target} is a package's name and also a project folder here: write ./{target} for the folder, or run the "
            "command in another folder for the package"
        )
    return Path(target)


def _is_reference(text: str) -> bool:
    try:
        Reference.parse(text)
    except ValueError:
        return False
    return True


def parse_reference(text: str, *, or_folder: bool = False) -> Reference:
    """Parse a reference. Raises :class:`UsageError` with what would be valid; ``or_folder``: also a project folder."""
    try:
        return Reference.parse(text)
    except InvalidNameError as error:
        if or_folder:
            hint = f" (or name a project folder, for example ./{text.rsplit('/', maxsplit=1)[-1]})"
        else:
            hint = ": a folder cannot be used here, only a package of the hub" if Path(text).is_dir() else ""
        raise UsageError(f"{error}{hint}") from None
