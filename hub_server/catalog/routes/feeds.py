"""Atom feeds: what was published last, everywhere, of one package, of one owner."""

import re
from xml.etree import ElementTree as ET

from fastapi import APIRouter, Request, Response

from hub_server.catalog import actions
from hub_server.web.dependencies import ReadTransaction, ServicesDep, public_url
from hub_server.web.openapi import PROBLEMS
from schemas.package import Release
from schemas.wording import without_reordering

router = APIRouter(tags=["feeds"], responses=PROBLEMS)
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ATOM = "http://www.w3.org/2005/Atom"


@router.get("/feeds/releases.atom", summary="Every release")
def all_releases(request: Request, services: ServicesDep, work: ReadTransaction) -> Response:
    return _feed(request, public_url(request, services), "Releases", actions.list_newest_releases(work))


@router.get("/feeds/owners/{owner}.atom", summary="Releases of one owner's packages")
def owner_releases(owner: str, request: Request, services: ServicesDep, work: ReadTransaction) -> Response:
    releases = actions.list_newest_releases(work, owner=owner)
    return _feed(request, public_url(request, services), f"Releases of {owner}", releases)


@router.get("/feeds/packages/{owner}/{name}.atom", summary="Releases of one package")
def package_releases(owner: str, name: str, request: Request, services: ServicesDep, work: ReadTransaction) -> Response:
    package_id = actions.get_package_row(work, f"{owner}/{name}").id
    releases = actions.list_newest_releases(work, package_id=package_id)
    return _feed(request, public_url(request, services), f"Releases of {package_id}", releases)


def _feed(request: Request, base: str, title: str, releases: list[Release]) -> Response:
    feed = ET.Element("feed", xmlns=_ATOM)
    address = _printable(base + request.url.path)
    ET.SubElement(feed, "id").text = address
    ET.SubElement(feed, "title").text = _printable(title)
    ET.SubElement(feed, "link", rel="self", href=address)
    updated = releases[0].seen_since.isoformat() if releases else "1970-01-01T00:00:00+00:00"
    ET.SubElement(feed, "updated").text = updated
    for release in releases:
        feed.append(_entry(release, base))
    content = ET.tostring(feed, encoding="utf-8", xml_declaration=True)
    return Response(content, media_type="application/atom+xml", headers={"Cache-Control": "max-age=60"})


def _entry(release: Release, base: str) -> ET.Element:
    entry = ET.Element("entry")
    url = f"{base}/packages/{release.package}/releases/{release.version}"
    ET.SubElement(entry, "id").text = f"{base}/{release.package}/{release.digest}"
    ET.SubElement(entry, "title").text = f"{release.package} {release.version}"
    ET.SubElement(entry, "link", rel="alternate", href=url)
    ET.SubElement(entry, "updated").text = release.seen_since.isoformat()
    author = ET.SubElement(entry, "author")
    ET.SubElement(author, "name").text = release.published_by
    ET.SubElement(entry, "summary").text = _printable(release.summary)
    return entry


def _printable(text: str) -> str:
    """``text`` without characters that XML 1.0 forbids (control characters, surrogates, U+FFFE and U+FFFF), and without
    those that would turn what a feed reader shows beside it.
    """
    return _NOT_XML.sub("", without_reordering(text))
