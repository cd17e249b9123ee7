"""``verihub admin reindex``: the search index, thrown away and built again from the database."""

from hub_server.admin.opened_hub import Data, opened_hub
from hub_server.catalog import actions as catalog
from hub_server.cli import say
from hub_server.kernel.unit_of_work import UnitOfWork


def reindex(data: Data = None) -> None:
    """Build the search index again from the database.

    The hub may run meanwhile: a search finds what is indexed so far.

    \b
    Examples:
      verihub admin reindex --data /srv/verihub
    """
    with opened_hub(data) as services:
        services.search.clear()
        with services.database.reading() as session:
            catalog.catch_up(UnitOfWork(session, services), patience_seconds=catalog.WHOLE_INDEX_SECONDS)
        say(f"{services.search.find('', {}, 0).total} packages can be found.")
