"""``verihub publish``: sends wheels to the hub, and shows what the hub measured."""

import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from hub_client.client import Hub, project_folder
from hub_client.commands.command_context import CommandContext, open_context
from hub_client.errors import CheckFailedError, HubUnreachableError, NotFoundError, UsageError
from hub_client.integrity.author_keys import AuthorKeyFile
from hub_client.packaging.pack import PackedWheel, open_wheel, pack
from hub_client.packaging.source_check import source_faults
from hub_client.packaging.upload import find_published, publish_wheel
from hub_client.terminal.rates import grade_lines, report_text, unjudged_lines
from hub_client.transport.requests import accounts, audits, packages, trusted_publishers
from schemas.evidence.audit import AuditRecord
from schemas.journal.author_signature import AuthorSignature
from schemas.journal.authors import sign_release
from schemas.package import PublishReceipt, ReleaseState, Visibility
from schemas.wording import counted

_POLL_SECONDS = 0.5
_SHOWN = 20


def publish(
    targets: Annotated[
        list[Path] | None, typer.Argument(metavar="FOLDER|WHEEL", help="Projects or wheels.  [default: .]")
    ] = None,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until the hub has measured them.")] = False,
    wait_seconds: Annotated[
        float, typer.Option(metavar="SECONDS", help="With --wait: give up after so long. The audit goes on.")
    ] = 900.0,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Ask the hub whether it would accept them; change nothing.")
    ] = False,
    private: Annotated[
        bool, typer.Option("--private", help="Show a new package to its owner alone: you, or your organisation.")
    ] = False,
) -> None:
    """Pack folders, send wheels to the hub, and say where they are. Sending the same bytes again is harmless.

    \b
    Examples:
      verihub publish --wait
      verihub publish ./one ./two --dry-run
      verihub publish --private
    """
    wanted = Visibility.PRIVATE if private else None
    with open_context() as context, ExitStack() as stack:
        by_identity = context.settings.id_token is not None
        # A missing or bad token is reported before anything is built.
        me = "" if context.settings.offline or by_identity else context.hub.send(accounts.whoami()).name
        # All are packed before the first is sent, so that a fault in the last one leaves nothing half-published.
        packed = [_packed(context, target) for target in targets or [Path()]]
        _refuse_faulty(packed)
        for wheel in packed:
            context.output.remark(_contents(wheel, shown=_SHOWN if len(packed) == 1 else 0))
        receipts = []
        with context.output.progress("publishing") as advance:
            hub = stack.enter_context(_as_trusted_publisher(context, packed)) if by_identity else context.hub
            total, before = sum(_mebibytes(len(wheel.data)) for wheel in packed), 0
            for wheel in packed:
                sent = partial(_advance, advance, before, total)
                sent(0, len(wheel.data))
                known = _find_published(context, wheel, me) if me and not dry_run and not private else None
                receipts.append(known or _publish(context, hub, wheel, dry_run, wanted, sent))
                before += _mebibytes(len(wheel.data))
        records: list[AuditRecord | None] = [None] * len(receipts)
        if wait and not dry_run:
            records = _wait_for_all(context, receipts, time.monotonic() + wait_seconds)
        blocked = [_why_blocked(context, receipt, record) for receipt, record in zip(receipts, records, strict=True)]
        told = list(zip(receipts, records, blocked, strict=True))
        items = [{"receipt": one, "audit": record, "blocked_from_latest": why} for one, record, why in told]
        lines = [_text(receipt, record, dry_run, why, private=private) for receipt, record, why in told]
        quiet = "\n".join(f"{receipt.release.package}@{receipt.release.version}" for receipt in receipts)
        context.output.result({"items": items}, human="\n".join(lines), quiet=quiet)
        failed = [record for record in records if record is not None and record.state == "failed"]
        if failed:
            raise CheckFailedError("\n".join(f"the audit of {item.package} failed: {item.error}" for item in failed))


def _publish(
    context: CommandContext,
    hub: Hub,
    wheel: PackedWheel,
    dry_run: bool,
    visibility: Visibility | None,
    sent: Callable[[int, int], None],
) -> PublishReceipt:
    author = None if context.settings.id_token is not None else _signed(context, wheel)
    return publish_wheel(hub, wheel.data, dry_run=dry_run, visibility=visibility, author=author, sent=sent)


def _find_published(context: CommandContext, wheel: PackedWheel, me: str) -> PublishReceipt | None:
    package, version = wheel.contents.manifest.id, wheel.contents.metadata.version
    found = find_published(context.hub, package, version, wheel.digest, me)
    return found and found.model_copy(update={"url": f"{context.settings.url}{found.url}"})


def _mebibytes(size_bytes: int) -> int:
    """Rounded up, so that a small wheel counts as one."""
    return -(-size_bytes // 2**20)


def _advance(advance: Callable[[int, int], None], before: int, total: int, done: int, _of: int) -> None:
    advance(before + done // 2**20, total)


def _as_trusted_publisher(context: CommandContext, packed: list[PackedWheel]) -> Hub:
    """The hub by a token that the identity token was exchanged for. It publishes one package, and can be used once."""
    if context.settings.project_url:
        raise UsageError(
            f"only a project's file names {context.settings.url}, and VERIHUB_ID_TOKEN goes to no such hub: set "
            "VERIHUB_URL"
        )
    names = {wheel.contents.manifest.id for wheel in packed}
    if len(names) != 1:
        raise UsageError(f"an identity token publishes one package, and these are {', '.join(sorted(names))}")
    token = context.settings.id_token or ""
    made = context.hub.send(trusted_publishers.exchange_identity(names.pop(), token))
    return Hub(settings=context.settings.model_copy(update={"token": made.secret}))


def _signed(context: CommandContext, wheel: PackedWheel) -> AuthorSignature | None:
    """The user's own signature, where `verihub key new` has made a key for this hub."""
    file = AuthorKeyFile(context.settings.config_dir, context.settings.url)
    key = file.find()
    if key is None:
        _warn_unsigned(context, wheel.contents.manifest.id, file.path)
        return None
    return sign_release(key, wheel.contents.manifest.id, wheel.contents.metadata.version, wheel.digest)


def _warn_unsigned(context: CommandContext, package: str, place: Path) -> None:
    """Warn if the account has a key and this machine has none, since readers are warned of such a release."""
    if context.settings.offline:
        return
    keys = context.hub.send(accounts.list_author_keys()).items
    if keys:
        names = ", ".join(key.id for key in keys)
        context.output.warn(
            f"{package} goes out unsigned: the account signs with {names}, and this machine has no key for this hub. "
            f"Copy the key's file to {place}, or make another: verihub key new"
        )


def _packed(context: CommandContext, target: Path) -> PackedWheel:
    if target.suffix == ".whl":
        return open_wheel(target)
    folder = project_folder(target)
    if folder is None:
        raise NotFoundError(f"{target} is neither a project folder nor a wheel")
    return pack(folder, context.hub.cache, trust_build=context.settings.trust_build)


def _refuse_faulty(packed: list[PackedWheel]) -> None:
    """Refuse what no box can load, since a release never changes: its number would be spent."""
    faults = [f"{wheel.contents.manifest.id}: {fault}" for wheel in packed for fault in source_faults(wheel.contents)]
    if faults:
        raise CheckFailedError("\n".join([*faults, "nothing was published"]))


def _contents(wheel: PackedWheel, shown: int) -> str:
    """Which files are about to become public; ``shown`` of them by name."""
    files = [file.path for file in wheel.contents.release_files]
    holds = f"{wheel.file_name} holds {counted(len(files), 'file')}"
    if not shown:
        return f"{holds} (`verihub pack --list`)"
    more = f", … and {len(files) - shown} more (`verihub pack --list`)" if len(files) > shown else ""
    return f"{holds}: {', '.join(files[:shown])}{more}"


def _wait_for_all(context: CommandContext, receipts: list[PublishReceipt], deadline: float) -> list[AuditRecord | None]:
    """The ended audit of each release. Who interrupts the wait is told that the releases are published all the same."""
    try:
        return [_wait(context, receipt, deadline) for receipt in receipts]
    except KeyboardInterrupt:
        for receipt in receipts:
            release = receipt.release
            context.output.warn(f"{release.package} {release.version} is published, and is measured without you")
        raise


def _wait(context: CommandContext, receipt: PublishReceipt, deadline: float) -> AuditRecord | None:
    """Poll until the newest audit of the release has ended. None when there is nothing to measure."""
    release = receipt.release
    if receipt.audit_job is None and context.hub.package(release.package).card.audit_state == "none":
        return None
    with context.output.progress(f"measuring {release.package} {release.version}") as advance:
        while True:
            found = context.hub.send(audits.list_audits(release.package, release.version)).items
            record = found[0] if found else None
            if record is not None:
                advance(record.done_cases, record.total_cases)
                if record.state in ("done", "failed"):
                    return record
            if time.monotonic() > deadline:
                raise HubUnreachableError(
                    f"{release.package} {release.version} is published at {receipt.url}, but its audit is not "
                    "finished: is a worker running? Look again with `verihub info`"
                )
            time.sleep(_POLL_SECONDS)


def _why_blocked(context: CommandContext, receipt: PublishReceipt, record: AuditRecord | None) -> str:
    """Why the measured release may not be ``@latest``, or empty; before it is measured nobody knows."""
    if record is None:
        return ""
    release = receipt.release
    return context.hub.send(packages.get_release(release.package, release.version)).blocked_from_latest


def _text(receipt: PublishReceipt, record: AuditRecord | None, dry_run: bool, blocked: str, *, private: bool) -> str:
    release = receipt.release
    name = f"{release.package} {release.version}"
    seen = f", and only {release.package.partition('/')[0]} sees it" if private else ""
    if dry_run:
        return f"{name} would be accepted{seen}"
    did = "is published" if receipt.created else "was there already, the same bytes"
    lines = [f"{name} {did}{seen}", f"  {receipt.url}"]
    if release.state is not ReleaseState.ACTIVE:
        lines.append(f"  but it is {release.state}{f': {release.state_reason}' if release.state_reason else ''}")
    if record is not None and record.report is not None:
        lines += [f"  {report_text(record.report)}", *(f"    {line}" for line in unjudged_lines(record.report))]
        grading = record.report.grading
        if grading is not None:
            lines += [f"    {line}" for line in grade_lines(grading.pulled[:3], grading.needs)]
        if blocked:
            lines.append(f"  not @latest: {blocked}")
    elif receipt.audit_job is not None:
        lines.append("  being measured: its rates will be on the page")
    family = release.manifest.family
    if family is not None:
        lines.append(
            f"  it runs against verifiers of other owners with [judges.{family}]; its page says whether it counts"
        )
    return "\n".join(lines)
