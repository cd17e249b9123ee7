"""``verihub info``: one package."""

from typing import Annotated

import typer

from hub_client.client import parse_reference
from hub_client.commands.command_context import open_context
from hub_client.terminal.rates import grade_lines, summary_text
from schemas.kinds import PackageKind
from schemas.measures.first_look_words import first_look_words
from schemas.names import Reference
from schemas.package import PackageDetail, Release, ReleaseState
from schemas.wording import counted, uncapitalised


def info(
    reference: Annotated[
        str, typer.Argument(metavar="OWNER/NAME[@VERSION]", help="A package, or one of its releases.")
    ],
) -> None:
    """Show a package, its rewards and its measured rates.

    \b
    Examples:
      verihub info lecture/gsm8k
      verihub info 'lecture/gsm8k@>=2,<3' --format json
    """
    with open_context() as context:
        wanted = parse_reference(reference)
        detail = context.hub.package(wanted.package)
        release = context.hub.resolver.resolve(wanted, any_age=True)
        data = {"package": detail.card, "release": release, "url": f"{context.settings.url}/packages/{wanted.package}"}
        context.output.result(data, human=_text(detail, release, wanted), quiet=f"{release.package}@{release.digest}")


def _who_did(release: Release) -> str:
    """Who yanked or deprecated it, and when; empty where the hub does not say."""
    is_yanked = release.state is ReleaseState.YANKED
    by, at = (release.yanked_by, release.yanked_at) if is_yanked else (release.deprecated_by, release.deprecated_at)
    if release.state not in (ReleaseState.YANKED, ReleaseState.DEPRECATED) or by is None:
        return ""
    return f" by {by} on {at:%Y-%m-%d}" if at is not None else f" by {by}"


def _text(detail: PackageDetail, release: Release, wanted: Reference) -> str:
    manifest = release.manifest
    lines = [
        f"{release.package} {release.version}   {manifest.kind}   {release.licence}",
        release.summary,
        "",
        *(_measured(release) if manifest.rewards else []),
        f"  digest     {release.digest}",
        f"  published  {release.published_at:%Y-%m-%d %H:%M} by {release.published_by}",
    ]
    if release.state is not ReleaseState.ACTIVE:
        lines.append(f"  {release.state.upper()}{_who_did(release)}: {release.state_reason}")
    if release.blocked_from_latest:
        lines.append(f"  not @latest: {release.blocked_from_latest}")
    for split, count in release.task_counts.items():
        lines.append(f"  split      {split}: {'generated' if count is None else counted(count, 'task')}")
    for name, reward in manifest.rewards.items():
        low, high = reward.range
        lines.append(
            f"  reward     {name}  [{low:g}, {high:g}]  {reward.role} x {reward.weight:g}  {reward.description}"
        )
    lines += [f"  pins       {pinned}" for pinned in (*manifest.environments, *manifest.harnesses)]
    if manifest.judges:
        lines.append(f"  judges     suites of {', '.join(manifest.judges)}")
    if manifest.family is not None:
        lines.append(f"  family     {manifest.family}: {counted(release.case_count, 'labelled case')}")
    if manifest.foreign_verifier:
        lines.append(f"  verifier   {manifest.foreign_verifier}")
    lines.append(f"  releases   {', '.join(item.version for item in detail.releases[:12])}")
    lines.append(f"\n  {_next_command(f'{wanted.package}@{release.version}', manifest.kind)}")
    return "\n".join(lines)


def _measured(release: Release) -> list[str]:
    """The grade with both rates, and below it what limits the grade."""
    audit = release.audit
    more = grade_lines(audit.pulled, audit.needs) if audit is not None else []
    told = first_look_words(audit.first_look, audit.known) if audit is not None else ""
    more += [uncapitalised(told)] if told else []
    return [f"  measured   {summary_text(audit)}", *(f"             {line}" for line in more)]


def _next_command(target: str, kind: PackageKind) -> str:
    """The next command that most readers need for a package of this kind."""
    commands = {
        PackageKind.ENVIRONMENT: f"verihub eval {target} --model NAME --endpoint URL",
        PackageKind.BENCHMARK: f"verihub eval {target} --model NAME --endpoint URL",
        PackageKind.HARNESS: f"verihub eval ENVIRONMENT --harness {target} --model NAME --endpoint URL",
        PackageKind.VERIFIER: f"""verihub score {target} --task '{{"prompt": "…", "answer": "…"}}' --response '…'""",
        PackageKind.TOOL: f"verihub mcp {target}",
        PackageKind.SUITE: f"verihub pull {target}",
        PackageKind.RECIPE: f"verihub train ENVIRONMENT --recipe {target}",
    }
    return commands[kind]
