"""The table of offers refers to packages, so an offer of a private one is left out for whoever does not see it."""

from hub_server.database.visibility import leads_to_private
from hub_server.ownership.models import TransferRow


def test_offers_of_private_packages_are_left_out_of_every_query() -> None:
    assert leads_to_private(TransferRow.metadata.tables["transfers"])
