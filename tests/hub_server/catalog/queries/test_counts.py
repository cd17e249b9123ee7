"""Downloads add up by day."""

from hub_server.catalog.models import PackageRow
from hub_server.catalog.queries import counts as count_queries
from tests.making.action_driver import ActionDriver


def test_downloads_add_up_by_day(hub: ActionDriver) -> None:
    for day in ("2026-11-20", "2026-11-21", "2026-11-21"):
        hub.do(None, lambda work, day: count_queries.count_download(work.session, "1.9.0", "al/a", day), day)
    with hub.reading() as work:
        assert count_queries.downloads_since(work.session, "al/a", "2026-11-21") == {"2026-11-21": 2}
        assert count_queries.downloads_since(work.session, "al/b", "2026-01-01") == {}
        row = work.session.get(PackageRow, "al/a")
        assert row is not None
        assert row.downloads == 3
