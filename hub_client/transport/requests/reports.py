"""Reports to a hub's moderators."""

from urllib.parse import quote

from hub_client.transport.requests.call import ApiCall
from hub_client.transport.requests.packages import package_path
from schemas.moderation import OwnerReportCreate, Report, ReportCreate


def send_report(package_id: str, report: ReportCreate) -> ApiCall[Report]:
    """Tell the moderators about a package. A second report while the first is open adds to the first."""
    return ApiCall.send("POST", f"{package_path(package_id)}/reports", Report.read, report)


def send_owner_report(owner: str, report: OwnerReportCreate) -> ApiCall[Report]:
    """Tell the moderators about a person or an organisation. A second report while the first is open adds to it."""
    return ApiCall.send("POST", f"/owners/{quote(owner, safe='')}/reports", Report.read, report)
