"""Every page is served, and the more special address is asked first."""

import importlib
import pkgutil

from hub_server.site import pages
from hub_server.site.pages import short_addresses
from hub_server.site.routers import PAGES, ROUTERS


def test_every_module_with_a_router_is_in_the_list() -> None:
    names = [module.name for module in pkgutil.walk_packages(pages.__path__, f"{pages.__name__}.")]
    found = {name for name in names if hasattr(importlib.import_module(name), "router")}
    assert found == {page.__name__ for page in (*PAGES, short_addresses)}, "the app asks short addresses last"


def test_a_report_as_markdown_is_not_taken_for_an_audit_whose_id_ends_in_md() -> None:
    paths = [getattr(route, "path", "") for router in ROUTERS for route in router.routes]
    base = "/packages/{owner}/{name}/releases/{version}/audits/{audit_id}"
    assert paths.index(f"{base}.md") < paths.index(base)
