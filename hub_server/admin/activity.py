"""``verihub admin activity``: what accounts changed."""

import json
from typing import Annotated

import typer

from hub_server.accounts import actions
from hub_server.admin.opened_hub import Data, opened_hub
from hub_server.kernel.caller import operator
from hub_server.kernel.unit_of_work import UnitOfWork

_PAGE = 100


def activity(
    account: Annotated[str | None, typer.Option(help="Only what this account changed.")] = None,
    count: Annotated[int, typer.Option("--count", "-n", min=1, help="How many changes, the newest first.")] = 50,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
    data: Data = None,
) -> None:
    """Show what accounts changed, newest first.

    Each line has the time, the account, its credential, the act and the address. Lines are kept for 400 days.

    \b
    Examples:
      verihub admin activity --account mallory
      verihub admin activity -n 10000 --json > activity.jsonl
    """
    with opened_hub(data) as services, services.database.reading() as session:
        work = UnitOfWork(session, services, operator())
        account_id = actions.get_any_account(work, account).id if account is not None else None
        cursor, left = None, count
        while left > 0:
            page = actions.list_activity(work, account_id=account_id, cursor=cursor, limit=min(left, _PAGE))
            for one in page.items:
                if as_json:
                    typer.echo(json.dumps(one.model_dump(mode="json")))
                else:
                    typer.echo(f"{one.at:%Y-%m-%d %H:%M}  {one.account}  by {one.by}  {one.act}  {one.target}".rstrip())
            cursor, left = page.next, left - len(page.items)
            if cursor is None:
                return
